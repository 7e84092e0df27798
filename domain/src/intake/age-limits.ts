const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const clockAheadMs = 60 * secondMs;
const lateMs = 14 * dayMs;
const year2000 = Date.UTC(2000, 0, 1);

/** Flags of an accepted play for operators: late, or from a clock that runs ahead (decisions 4.6). */
export interface PlayTimeFlags {
  /** Received more than 14 days after the play. */
  readonly late: boolean;
  /** The play begins more than 60 s after its receipt. */
  readonly clockAhead: boolean;
}

export const playTimeFlags = (playedAtMs: number, receivedAtMs: number): PlayTimeFlags => ({
  late: receivedAtMs - playedAtMs > lateMs,
  clockAhead: playedAtMs - receivedAtMs > clockAheadMs,
});

/** Returns the error message for an instant too far in the future, else undefined. */
export const checkNotAhead = (atMs: number, receivedAtMs: number): string | undefined =>
  atMs - receivedAtMs > dayMs ? 'must not be more than 24 h in the future' : undefined;

/** Returns the error message for an invalid start of a play, detection or interval, else undefined. */
export const checkPlayedAt = (playedAtMs: number, receivedAtMs: number, maxAgeDays?: number): string | undefined => {
  const ahead = checkNotAhead(playedAtMs, receivedAtMs);
  if (ahead !== undefined) return ahead;
  if (playedAtMs < year2000) return 'must not be before the year 2000';
  if (maxAgeDays !== undefined && receivedAtMs - playedAtMs > maxAgeDays * dayMs)
    return `must not be more than ${maxAgeDays} days ago`;
  return undefined;
};
