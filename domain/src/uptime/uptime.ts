import type { AppState } from '@popsvc/contracts/vocabulary';
import { cutSpans, joinSpans, lengthOf, type Span } from '../spans/index.ts';
import { type EndedRecord, endRecords, type IntervalRecord } from './app-intervals.ts';

export interface Uptime {
  readonly windowSeconds: number;
  /**
   * Number of seconds in the window that the app's intervals cover. Intervals in the state `stopped` are included, because the
   * app was stopped on purpose. `stoppedSeconds` is the rest of the window, when the app did not report.
   */
  readonly runningSeconds: number;
  readonly stoppedSeconds: number;
  /** `runningSeconds` as a percentage of `windowSeconds`, with two decimals. */
  readonly uptimePct: number;
  readonly intervalCount: number;
  readonly current: { readonly state: AppState; readonly sinceMs: number; readonly lastHeartbeatMs: number | null };
}

/**
 * Returns true when an interval overlaps the window. An interval of length zero, such as that of a single heartbeat, counts as
 * overlapping if it lies inside the window.
 */
const overlaps = ({ startedAtMs, endMs }: EndedRecord, { from, to }: Span): boolean =>
  startedAtMs < to && Math.max(endMs, startedAtMs + 1) > from;

/** Values by which intervals are compared: the start, then the other fields, so that equal starts do not depend on the input order. */
const rank = ({ startedAtMs, lastHeartbeatAtMs, endMs, state }: EndedRecord): readonly number[] => [
  startedAtMs,
  lastHeartbeatAtMs ?? -Infinity,
  endMs,
  state === 'stopped' ? 1 : 0,
];

const isLater = (one: EndedRecord, other: EndedRecord): boolean => {
  const [mine, its] = [rank(one), rank(other)];
  const at = mine.findIndex((value, index) => value !== its[index]);
  return at >= 0 && mine[at]! > its[at]!;
};

/** Returns `part` as a percentage of `whole` with two decimals, rounded half up in integer arithmetic; 0 when `whole` is 0. */
const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((20_000 * part + whole) / (2 * whole)) / 100;

/**
 * Computes the uptime of an app in a window that ends no later than `nowMs`. `records` must contain all intervals that overlap
 * the window. If any intervals began after the window, `records` must also contain at least one of those, because a later
 * interval ends an open one. Other intervals do not change the result.
 */
export const computeUptime = (records: readonly IntervalRecord[], window: Span, nowMs: number): Uptime => {
  const inWindow = endRecords(records, nowMs).filter((record) => overlaps(record, window));
  const spans = inWindow.map(({ startedAtMs, endMs }) => ({ from: startedAtMs, to: endMs }));
  const windowSeconds = Math.floor((window.to - window.from) / 1_000);
  const runningSeconds = Math.floor(lengthOf(joinSpans(cutSpans(spans, window))) / 1_000);
  const [first] = inWindow;
  const latest = first && inWindow.reduce((one, other) => (isLater(other, one) ? other : one), first);
  return {
    windowSeconds,
    runningSeconds,
    stoppedSeconds: windowSeconds - runningSeconds,
    uptimePct: percentOf(runningSeconds, windowSeconds),
    intervalCount: inWindow.length,
    current: latest
      ? { state: latest.state, sinceMs: latest.startedAtMs, lastHeartbeatMs: latest.lastHeartbeatAtMs }
      : { state: 'stopped', sinceMs: window.from, lastHeartbeatMs: null },
  };
};
