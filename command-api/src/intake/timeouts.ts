/** How long a request waits before it receives an error. */
export interface IntakeTimeouts {
  readonly appendMs: number;
  /** For an earlier attempt with the same Idempotency-Key. */
  readonly earlierAttemptMs: number;
  /** For a short read of the event store, or for the next event of a long read. */
  readonly readMs: number;
  /** For the registry cache to apply a recent registration. */
  readonly idCheckMs: number;
}

export const defaultIntakeTimeouts: IntakeTimeouts = {
  appendMs: 5_000,
  earlierAttemptMs: 5_000,
  readMs: 3_000,
  idCheckMs: 1_000,
};
