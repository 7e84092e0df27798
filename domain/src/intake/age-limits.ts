const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const clockAheadMs = 60 * secondMs;
const lateMs = 14 * dayMs;
const year2000 = Date.UTC(2000, 0, 1);

/** Marks of an accepted play that make operators look: it came late, or the sender's clock runs ahead (decisions 4.6). */
export interface PlayTimeFlags {
  /** Received more than 14 days after it was played. */
  readonly late: boolean;
  /** Played more than 60 s after it was received. */
  readonly clockAhead: boolean;
}

export const playTimeFlags = (playedAtMs: number, receivedAtMs: number): PlayTimeFlags => ({
  late: receivedAtMs - playedAtMs > lateMs,
  clockAhead: playedAtMs - receivedAtMs > clockAheadMs,
});

/** Why an instant of any kind is refused at the door for lying ahead, else undefined. */
export const checkNotAhead = (atMs: number, receivedAtMs: number): string | undefined =>
  atMs - receivedAtMs > dayMs ? 'must not be more than 24 h in the future' : undefined;

/** Why an instant is refused at the door, else undefined; for the start of a play, of a detection and of an interval alike. */
export const checkPlayedAt = (playedAtMs: number, receivedAtMs: number, maxAgeDays?: number): string | undefined => {
  const ahead = checkNotAhead(playedAtMs, receivedAtMs);
  if (ahead !== undefined) return ahead;
  if (playedAtMs < year2000) return 'must not be before the year 2000';
  if (maxAgeDays !== undefined && receivedAtMs - playedAtMs > maxAgeDays * dayMs)
    return `must not be more than ${maxAgeDays} days ago`;
  return undefined;
};
