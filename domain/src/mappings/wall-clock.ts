import type { OffsetAt } from './zone-offset.ts';

const hourMs = 3_600_000;
/** No clock is further from UTC than these. */
const [mostAhead, mostBehind] = [14 * hourMs, 12 * hourMs];

/**
 * The instant at which a clock showed a time: in a repeated hour the earlier one. `skipped` when it never showed it,
 * `unknown` when the clock is not known all the while. The clock may change its zone on the way: each offset that held
 * around then is tried, and counts only where it held at the very instant it leads to.
 */
export const instantOnClock = (wallMs: number, offsetAt: OffsetAt): number | 'skipped' | 'unknown' => {
  const [before, after] = [offsetAt(wallMs - mostAhead), offsetAt(wallMs + mostBehind)];
  if (before === after && before !== undefined) return wallMs - before;
  const fitting = [before, after].flatMap((offset) =>
    offset !== undefined && offsetAt(wallMs - offset) === offset ? [wallMs - offset] : [],
  );
  if (fitting.length > 0) return Math.min(...fitting);
  return before === undefined || after === undefined ? 'unknown' : 'skipped';
};
