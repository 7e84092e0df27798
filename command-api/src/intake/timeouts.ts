/** How long a request waits, in ms, before it receives an error. */
export interface IntakeTimeouts {
  /** Wait for the append of its events. */
  readonly appendMs: number;
  /** Wait of a retry for an earlier attempt with the same Idempotency-Key. */
  readonly earlierAttemptMs: number;
  /** Wait for a short read of the event store, or for the next event of a long one. */
  readonly readMs: number;
  /** Wait until the registry cache contains an id that is registered. */
  readonly idCheckMs: number;
}

export const defaultIntakeTimeouts: IntakeTimeouts = {
  appendMs: 5_000,
  earlierAttemptMs: 5_000,
  readMs: 3_000,
  idCheckMs: 1_000,
};
