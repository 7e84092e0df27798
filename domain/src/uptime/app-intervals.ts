import type { AppState } from '@popsvc/contracts/vocabulary';

/** How long an app keeps its state without a heartbeat: three times the usual heartbeat period of 60 s. */
export const appSilenceMs = 180_000;

/** A period in one state, sent as an interval or derived from heartbeats. Times are in ms since 1970. */
export interface IntervalRecord {
  readonly state: AppState;
  readonly startedAtMs: number;
  /** Null while the interval lasts. */
  readonly endedAtMs: number | null;
  /** Null if no heartbeat was received during the interval. */
  readonly lastHeartbeatAtMs: number | null;
}

export interface EndedRecord extends IntervalRecord {
  readonly endMs: number;
}

/** An open interval ends at its last heartbeat, else at its start; the newest one ends `appSilenceMs` later, but not after `nowMs`. */
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

/** The runs of `earlier` must precede those of `later`. */
export const joinRuns = (earlier: readonly HeartbeatRun[], later: readonly HeartbeatRun[]): HeartbeatRun[] => {
  const [last, first] = [earlier.at(-1), later[0]];
  return last && first && continues(last, first)
    ? [...earlier.slice(0, -1), { ...last, lastMs: first.lastMs }, ...later.slice(1)]
    : [...earlier, ...later];
};

/** A run ends where the next one begins if there is no gap, because the app changed its state. The last interval stays open. */
export const intervalsFromRuns = (runs: readonly HeartbeatRun[]): IntervalRecord[] =>
  runs.map(({ state, firstMs, lastMs }, index) => {
    const next = runs[index + 1];
    const endedAtMs = next ? (next.firstMs - lastMs <= appSilenceMs ? next.firstMs : lastMs) : null;
    return { state, startedAtMs: firstMs, endedAtMs, lastHeartbeatAtMs: lastMs };
  });
