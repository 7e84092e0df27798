import type { AppState } from '@popsvc/contracts/vocabulary';

/** How long an app may be silent and still count as in its state: three heartbeats of 60 s. */
export const appSilenceMs = 180_000;

/** A stretch in which an app was in one state, pushed as such or formed from heartbeats. Milliseconds since 1970. */
export interface IntervalRecord {
  readonly state: AppState;
  readonly startedAtMs: number;
  /** Null while it lasts. */
  readonly endedAtMs: number | null;
  /** Null when the app was not heard in it. */
  readonly lastHeartbeatAtMs: number | null;
}

/** A record, and until when it counts. */
export interface EndedRecord extends IntervalRecord {
  readonly endMs: number;
}

/**
 * Until when each record counts at an instant (decisions 8.1). A closed one ends as told. An open one gets the benefit of the
 * doubt for the time of a silence while it is the newest; once anything began after it, it ended when it was last heard.
 * What begins after the instant has not happened yet, and makes nothing old.
 */
export const endRecords = (records: readonly IntervalRecord[], nowMs: number): EndedRecord[] => {
  const begun = records.filter(({ startedAtMs }) => startedAtMs <= nowMs);
  const newestMs = begun.reduce((newest, { startedAtMs }) => Math.max(newest, startedAtMs), -Infinity);
  return begun.map((record) => {
    const { startedAtMs, endedAtMs } = record;
    const heardMs = record.lastHeartbeatAtMs ?? startedAtMs;
    const lastsMs = startedAtMs === newestMs ? Math.min(nowMs, heardMs + appSilenceMs) : heardMs;
    return { ...record, endMs: endedAtMs ?? lastsMs };
  });
};
