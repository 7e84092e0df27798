/** The stream is not where the append expected it; nothing was written. */
export class WrongExpectedVersion extends Error {
  override readonly name = 'WrongExpectedVersion';
}

/** The stream was deleted for good. */
export class StreamDeleted extends Error {
  override readonly name = 'StreamGone';
}

/** `too-large`: more than the store takes in one append. `invalid`: not as it takes it. */
export type RejectionReason = 'too-large' | 'invalid';

/** The store answered, and refuses this for good: nothing was written, and told again it is refused again. */
export class EventStoreRejected extends Error {
  override readonly name = 'EventStoreRefused';
  readonly reason: RejectionReason;

  constructor(why: RejectionReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = why;
  }
}

/**
 * The store did not answer in time or at all; an append may or may not have landed. Also while it lets nobody in: that is
 * mended on our side, and the same request is right afterwards.
 */
export class EventStoreUnavailable extends Error {
  override readonly name = 'EventStoreUnavailable';
}
