import type { AppState } from '@popsvc/contracts/vocabulary';
import { cutSpans, joinSpans, lengthOf, type Span } from '../spans/index.ts';
import { type EndedRecord, endRecords, type IntervalRecord } from './interval-record.ts';

/** How an app ran in a window. */
export interface Uptime {
  readonly windowSeconds: number;
  /** How long any record, running or stopped, was there. */
  readonly runningSeconds: number;
  readonly stoppedSeconds: number;
  /** Per cent with two decimals. */
  readonly uptimePct: number;
  readonly intervalCount: number;
  readonly current: { readonly state: AppState; readonly sinceMs: number; readonly lastHeartbeatMs: number | null };
}

/** A record without length, such as that of a single heartbeat, is there at its instant and counts; it only lasts no time. */
const overlaps = ({ startedAtMs, endMs }: EndedRecord, { from, to }: Span): boolean =>
  startedAtMs < to && Math.max(endMs, startedAtMs + 1) > from;

/** The later start; what comes after it tells records of one start apart, so that their order never matters. */
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

/** 10,000 × part / whole, rounded half up in integers, as per cent; 0 when there is no whole. */
const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((20_000 * part + whole) / (2 * whole)) / 100;

/**
 * How an app ran in a window that ends no later than now (decisions 8.2, 8.3). Takes the records that overlap the window and
 * any that began after it; others change nothing. One that began later is enough, for it makes an open one old.
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
