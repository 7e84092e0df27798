/**
 * Thrown if a step of a replay failed but may succeed later, for example because a pause ended too early. The replay is attempted again.
 */
export class RetryableReplayError extends Error {
  override readonly name = 'RetryableReplayError';
}

/** Thrown if the replay cannot succeed. Operators see the message. */
export class PermanentReplayError extends Error {
  override readonly name = 'PermanentReplayError';
}

/** Thrown if ClickHouse rejected a statement of a background process. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
}

export class ReplayCancelled extends Error {
  override readonly name = 'ReplayCancelled';
}
