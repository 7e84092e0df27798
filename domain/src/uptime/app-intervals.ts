import type { AppState } from '@popsvc/contracts/vocabulary';

/** How long an app keeps its state without a heartbeat: 180 s, three times the usual heartbeat period of 60 s. */
export const appSilenceMs = 180_000;

/**
 * A period during which an app was in one state, either sent as an interval or derived from heartbeats. Times are in ms since
 * 1970.
 */
export interface IntervalRecord {
  readonly state: AppState;
  readonly startedAtMs: number;
  /** Null while the interval lasts. */
  readonly endedAtMs: number | null;
  /** Null if no heartbeat was received during the interval. */
  readonly lastHeartbeatAtMs: number | null;
}

/** An interval with its computed end, in ms since 1970. */
export interface EndedRecord extends IntervalRecord {
  readonly endMs: number;
}

/**
 * Computes the end of each interval. A closed interval ends at its recorded end. The newest open interval ends `appSilenceMs` after its
 * last heartbeat, but not after `nowMs`; an older open interval ends at its last heartbeat. Without a heartbeat, the start of the interval
 * counts as its last heartbeat. Intervals that begin after `nowMs` are ignored, so none of them counts as the newest interval.
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

/** Consecutive heartbeats with the same state and gaps of at most `appSilenceMs`. */
export interface HeartbeatRun {
  readonly state: AppState;
  readonly firstMs: number;
  readonly lastMs: number;
}

const continues = (run: HeartbeatRun, next: HeartbeatRun): boolean =>
  run.state === next.state && next.firstMs - run.lastMs <= appSilenceMs;

/**
 * Concatenates the runs of two adjacent periods. If the last run of the earlier period continues in the later one, the two become
 * one run.
 */
export const joinRuns = (earlier: readonly HeartbeatRun[], later: readonly HeartbeatRun[]): HeartbeatRun[] => {
  const [last, first] = [earlier.at(-1), later[0]];
  return last && first && continues(last, first)
    ? [...earlier.slice(0, -1), { ...last, lastMs: first.lastMs }, ...later.slice(1)]
    : [...earlier, ...later];
};

/**
 * Turns each run into an interval. If the next run follows without a gap, the app changed its state, and the interval ends where
 * the next run begins. If a gap follows, the interval ends at the last heartbeat of its run. The interval of the last run stays
 * open.
 */
export const intervalsFromRuns = (runs: readonly HeartbeatRun[]): IntervalRecord[] =>
  runs.map(({ state, firstMs, lastMs }, index) => {
    const next = runs[index + 1];
    const endedAtMs = next ? (next.firstMs - lastMs <= appSilenceMs ? next.firstMs : lastMs) : null;
    return { state, startedAtMs: firstMs, endedAtMs, lastHeartbeatAtMs: lastMs };
  });
