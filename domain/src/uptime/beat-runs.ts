import type { AppState } from '@popsvc/contracts/vocabulary';
import { type IntervalRecord, appSilenceMs } from './interval-record.ts';

/** A heartbeat of an app; milliseconds since 1970. */
export interface AppHeartbeat {
  readonly atMs: number;
  readonly state: AppState;
}

/** Heartbeats of one state, none further from the next than the silence that ends an interval. */
export interface HeartbeatRun {
  readonly state: AppState;
  readonly firstMs: number;
  readonly lastMs: number;
}

const continues = (run: HeartbeatRun, next: HeartbeatRun): boolean =>
  run.state === next.state && next.firstMs - run.lastMs <= appSilenceMs;

/** Runs of two stretches of time, the one right before the other, as the runs of both. */
export const joinRuns = (earlier: readonly HeartbeatRun[], later: readonly HeartbeatRun[]): HeartbeatRun[] => {
  const [last, first] = [earlier.at(-1), later[0]];
  return last && first && continues(last, first)
    ? [...earlier.slice(0, -1), { ...last, lastMs: first.lastMs }, ...later.slice(1)]
    : [...earlier, ...later];
};

/**
 * The runs of heartbeats in any order. Of two states told for one instant `stopped` counts: who stops says so at the instant
 * of the last sign of running, and who starts goes on to say so.
 */
export const groupHeartbeats = (beats: readonly AppHeartbeat[]): HeartbeatRun[] => {
  const states = new Map<number, AppState>();
  for (const { atMs, state } of beats) if (states.get(atMs) !== 'stopped') states.set(atMs, state);
  const runs: HeartbeatRun[] = [];
  for (const [atMs, state] of [...states].sort(([one], [other]) => one - other)) {
    const beat: HeartbeatRun = { state, firstMs: atMs, lastMs: atMs };
    const run = runs.at(-1);
    if (run && continues(run, beat)) runs[runs.length - 1] = { ...run, lastMs: atMs };
    else runs.push(beat);
  }
  return runs;
};

/**
 * The intervals that runs form (decisions 8.1). Another state that follows without a gap ends an interval where it begins; a
 * gap ends it at its last heartbeat; the last run lasts, as nothing came after it.
 */
export const intervalsFromRuns = (runs: readonly HeartbeatRun[]): IntervalRecord[] =>
  runs.map(({ state, firstMs, lastMs }, index) => {
    const next = runs[index + 1];
    const endedAtMs = next ? (next.firstMs - lastMs <= appSilenceMs ? next.firstMs : lastMs) : null;
    return { state, startedAtMs: firstMs, endedAtMs, lastHeartbeatAtMs: lastMs };
  });
