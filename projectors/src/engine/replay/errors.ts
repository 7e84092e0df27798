/** A step of a replay failed, but may succeed later; for example, a pause ended too early. The replay is attempted again. */
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
