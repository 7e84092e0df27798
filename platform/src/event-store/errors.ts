/** The stream is not where the append expected it; nothing was written. */
export class WrongExpectedVersion extends Error {
  override readonly name = 'WrongExpectedVersion';
}

/** The stream was deleted for good. */
export class StreamGone extends Error {
  override readonly name = 'StreamGone';
}

/** `too-large`: more than the store takes in one append. `invalid`: not as it takes it. */
export type RefusedFor = 'too-large' | 'invalid';

/** The store answered, and refuses this for good: nothing was written, and told again it is refused again. */
export class EventStoreRefused extends Error {
  override readonly name = 'EventStoreRefused';
  readonly why: RefusedFor;

  constructor(why: RefusedFor, message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

/**
 * The store did not answer in time or at all; an append may or may not have landed. Also while it lets nobody in: that is
 * mended on our side, and the same request is right afterwards.
 */
export class EventStoreUnavailable extends Error {
  override readonly name = 'EventStoreUnavailable';
}
