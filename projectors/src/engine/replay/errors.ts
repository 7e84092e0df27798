/** The step may succeed later, so the replay is attempted again. */
export class RetryableReplayError extends Error {
  override readonly name = 'RetryableReplayError';
}

/** The replay fails, and operators see the message. */
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
