/** A step of a replay failed because of a temporary state, such as a pause that ended; the replay is tried again. */
export class RetryableReplayError extends Error {
  override readonly name = 'RetryableReplayError';
}

/** The replay cannot succeed; the message is reported to the operator. */
export class PermanentReplayError extends Error {
  override readonly name = 'PermanentReplayError';
}

/** An operator cancelled the replay. */
export class ReplayCancelled extends Error {
  override readonly name = 'ReplayCancelled';
}
