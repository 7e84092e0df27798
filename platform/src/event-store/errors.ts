/** The stream is not where the append expected it; nothing was written. */
export class WrongExpectedVersion extends Error {
  override readonly name = 'WrongExpectedVersion';
}

/** The stream was deleted for good. */
export class StreamGone extends Error {
  override readonly name = 'StreamGone';
}

/** The store did not answer in time or at all; an append may or may not have landed. */
export class EventStoreUnavailable extends Error {
  override readonly name = 'EventStoreUnavailable';
}
