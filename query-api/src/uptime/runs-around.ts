import { type HeartbeatRun, joinRuns, appSilenceMs } from '@popsvc/domain/uptime';
import type { Span } from '@popsvc/domain/spans';

/** Reads the runs of a stretch: all of them, those at its beginning that tell where the first ends, or the last. */
export type ReadRuns = (stretch: Span, which: 'all' | 'first' | 'last') => Promise<readonly HeartbeatRun[]>;

const dayMs = 86_400_000;
const growth = 8;

/**
 * The runs that overlap a window, whole, and the next after it if there is one by now. A run may have begun years before the
 * window and gone on for years after it: those are looked for in ever longer stretches, so that a window costs about as much
 * as what it finds.
 */
export const runsAround = async (read: ReadRuns, window: Span, nowMs: number): Promise<readonly HeartbeatRun[]> => {
  let from = Math.max(0, window.from - appSilenceMs);
  let to = Math.min(nowMs, Math.max(0, window.to) + appSilenceMs) + 1;
  let runs = await read({ from, to }, 'all');

  const mayBeginEarlier = () => from > 0 && runs[0] !== undefined && runs[0].firstMs - from < appSilenceMs;
  for (let length = dayMs; mayBeginEarlier(); length *= growth) {
    const before = { from: Math.max(0, from - length), to: from };
    const joined = joinRuns(await read(before, 'last'), runs);
    from = before.from;
    // One that it does not go on from ended before the window, as it was last heard more than a silence before.
    if (joined.length > runs.length) break;
    runs = joined;
  }

  const mayGoOn = () => to <= nowMs && (runs.at(-1)?.firstMs ?? -Infinity) < window.to;
  for (let length = dayMs; mayGoOn(); length *= growth) {
    const after = { from: to, to: Math.min(nowMs + 1, to + length) };
    runs = joinRuns(runs, await read(after, 'first'));
    to = after.to;
  }
  return runs;
};
