import type { AppState } from '@popsvc/contracts/vocabulary';

/** How long an app keeps its state without a heartbeat: three heartbeats of 60 s. */
export const appSilenceMs = 180_000;

/** A period in which an app was in one state, sent as an interval or formed from heartbeats. Times are in ms since 1970. */
export interface IntervalRecord {
  readonly state: AppState;
  readonly startedAtMs: number;
  /** Null while the interval lasts. */
  readonly endedAtMs: number | null;
  /** Null when no heartbeat came during the interval. */
  readonly lastHeartbeatAtMs: number | null;
}

/** An interval and the instant up to which it counts, in ms since 1970. */
export interface EndedRecord extends IntervalRecord {
  readonly endMs: number;
}

/**
 * Computes up to which instant each interval counts. A closed interval counts up to its end. The newest open
 * interval counts for `appSilenceMs` after its last heartbeat, at most until now; an older open interval ends at its last
 * heartbeat. Intervals that begin after `nowMs` are left out, also when the newest is determined.
 */
export const endRecords = (records: readonly IntervalRecord[], nowMs: number): EndedRecord[] => {
  const begun = records.filter(({ startedAtMs }) => startedAtMs <= nowMs);
  const newestMs = begun.reduce((newest, { startedAtMs }) => Math.max(newest, startedAtMs), -Infinity);
  return begun.map((record) => {
    const { startedAtMs, endedAtMs } = record;
    const lastMs = record.lastHeartbeatAtMs ?? startedAtMs;
    const openEndMs = startedAtMs === newestMs ? Math.min(nowMs, lastMs + appSilenceMs) : lastMs;
    return { ...record, endMs: endedAtMs ?? openEndMs };
  });
};

/** A heartbeat of an app; its time is in ms since 1970. */
export interface AppHeartbeat {
  readonly atMs: number;
  readonly state: AppState;
}

/** Consecutive heartbeats of one state with gaps of at most `appSilenceMs`. */
export interface HeartbeatRun {
  readonly state: AppState;
  readonly firstMs: number;
  readonly lastMs: number;
}

const continues = (run: HeartbeatRun, next: HeartbeatRun): boolean =>
  run.state === next.state && next.firstMs - run.lastMs <= appSilenceMs;

/** Joins the runs of two adjacent periods. A run at the end of the first may continue at the beginning of the second. */
export const joinRuns = (earlier: readonly HeartbeatRun[], later: readonly HeartbeatRun[]): HeartbeatRun[] => {
  const [last, first] = [earlier.at(-1), later[0]];
  return last && first && continues(last, first)
    ? [...earlier.slice(0, -1), { ...last, lastMs: first.lastMs }, ...later.slice(1)]
    : [...earlier, ...later];
};

/**
 * Forms an interval from each run. If the next run (of the other state) follows without a gap, the interval ends where that run
 * begins; if a gap follows, it ends at its last heartbeat. The interval of the last run stays open.
 */
export const intervalsFromRuns = (runs: readonly HeartbeatRun[]): IntervalRecord[] =>
  runs.map(({ state, firstMs, lastMs }, index) => {
    const next = runs[index + 1];
    const endedAtMs = next ? (next.firstMs - lastMs <= appSilenceMs ? next.firstMs : lastMs) : null;
    return { state, startedAtMs: firstMs, endedAtMs, lastHeartbeatAtMs: lastMs };
  });
