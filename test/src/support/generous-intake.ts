/** Options of command-api that wait longer than a busy machine takes, so that a request fails only where a test makes it fail. */
export const generousIntake = {
  timeouts: { appendMs: 60_000, earlierAttemptMs: 60_000, readMs: 60_000, idCheckMs: 60_000 },
  limits: { targetLatencyMs: 60_000 },
};
