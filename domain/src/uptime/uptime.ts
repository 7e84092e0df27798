import type { AppState } from '@popsvc/contracts/vocabulary';
import { cutSpans, joinSpans, lengthOf, type Span } from '../spans/index.ts';
import { type EndedRecord, endRecords, type IntervalRecord } from './app-intervals.ts';

export interface Uptime {
  readonly windowSeconds: number;
  /** Includes intervals in the state `stopped`, because the app was stopped on purpose. */
  readonly runningSeconds: number;
  readonly stoppedSeconds: number;
  /** With two decimals. */
  readonly uptimePct: number;
  readonly intervalCount: number;
  readonly current: { readonly state: AppState; readonly sinceMs: number; readonly lastHeartbeatMs: number | null };
}

/** An interval of length zero, such as that of a single heartbeat, overlaps the window if it lies inside. */
const overlaps = ({ startedAtMs, endMs }: EndedRecord, { from, to }: Span): boolean =>
  startedAtMs < to && Math.max(endMs, startedAtMs + 1) > from;

/** The fields after the start make the result independent of the input order. */
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

/** Rounded half up in integer arithmetic. */
const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((20_000 * part + whole) / (2 * whole)) / 100;

/**
 * `records` must contain all intervals that overlap the window and, if any began later, one of those: a later interval ends an open one.
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
