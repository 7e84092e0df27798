import type { RecordedHeartbeat } from '@popsvc/contracts/events';
import type { LivenessKind, Status } from '@popsvc/contracts/vocabulary';

/**
 * How long a device or feeder counts as online after a heartbeat is received: 5 min. A heartbeat affects the current status
 * only if its `at` differs from its time of receipt by at most this much.
 */
export const onlineWindowMs = 300_000;

/** If a heartbeat is appended more than 30 s after its receipt, its request is assumed to have been retried. */
export const promptAppendMs = 30_000;

/** A device or feeder whose heartbeats are monitored. */
export interface LivenessSubject {
  readonly kind: LivenessKind;
  readonly id: number;
}

/** How a heartbeat affects its device or feeder. Times are in ms since 1970. */
export interface ClassifiedHeartbeat extends LivenessSubject {
  /** When the heartbeat was received; undefined if the heartbeat does not affect the current status. */
  readonly countedMs: number | undefined;
  /**
   * A past time at which the device or feeder was active, according to a late heartbeat; undefined if there is none. This time
   * shortens a recorded outage.
   */
  readonly backfilledMs: number | undefined;
}

/** When a heartbeat was received, and when it was appended to the log; ms since 1970. */
export interface HeartbeatTimes {
  readonly receivedMs: number;
  readonly recordedMs: number;
}

/**
 * Determines whether a heartbeat concerns a device or a feeder, and how it affects the status. A feeder's heartbeat concerns only
 * the feeder; an app's heartbeat concerns the app's device.
 *
 * If `at` is within 300 s of the receipt, the heartbeat affects the current status (`countedMs`). If such a heartbeat was
 * appended late, because its request was retried, `backfilledMs` is also set to the time of receipt. If `at` is more than 300 s
 * before the receipt, only `backfilledMs` is set, to `at`. If `at` is more than 300 s after the receipt, the heartbeat has no
 * effect.
 */
export const classifyHeartbeat = (
  { deviceId, feederId, at }: RecordedHeartbeat,
  { receivedMs, recordedMs }: HeartbeatTimes,
): ClassifiedHeartbeat => {
  const atMs = Date.parse(at);
  const subject: LivenessSubject =
    feederId === undefined ? { kind: 'device', id: deviceId ?? 0 } : { kind: 'feeder', id: feederId };
  if (Math.abs(receivedMs - atMs) <= onlineWindowMs)
    return {
      ...subject,
      countedMs: receivedMs,
      backfilledMs: recordedMs - receivedMs > promptAppendMs ? receivedMs : undefined,
    };
  return { ...subject, countedMs: undefined, backfilledMs: atMs < receivedMs ? atMs : undefined };
};

/**
 * The status of a device or feeder. It exists from the first heartbeat that affects the current status. Times are in ms since
 * 1970.
 */
export interface Liveness {
  readonly status: Status;
  readonly sinceMs: number;
  /** When the latest heartbeat that affects the current status was received. */
  readonly lastReceivedMs: number;
}

/** A status change. `offlineSinceMs` is null at the first heartbeat that affects the current status. */
export type LivenessChange = WentOnline | WentOffline;

interface WentOnline {
  readonly status: 'online';
  readonly onlineAtMs: number;
  readonly offlineSinceMs: number | null;
}

interface WentOffline {
  readonly status: 'offline';
  readonly offlineAtMs: number;
  readonly lastReceivedMs: number;
}

/** The new state, and the status changes to record, in order. */
export interface LivenessTransition {
  readonly state: Liveness;
  readonly changes: readonly LivenessChange[];
}

const wentOffline = ({ lastReceivedMs }: Liveness): WentOffline => ({
  status: 'offline',
  offlineAtMs: lastReceivedMs + onlineWindowMs,
  lastReceivedMs,
});

const wentOnline = (onlineAtMs: number, offlineSinceMs: number | null): WentOnline => ({
  status: 'online',
  onlineAtMs,
  offlineSinceMs,
});

/**
 * Applies a status change that this process or another one recorded. Derives `lastReceivedMs` from the change, but keeps the
 * value in `was` if it is later.
 */
export const applyRecordedChange = (was: Liveness | undefined, change: LivenessChange): Liveness => {
  const knownMs = was?.lastReceivedMs ?? -Infinity;
  if (change.status === 'offline')
    return {
      status: 'offline',
      sinceMs: change.offlineAtMs,
      lastReceivedMs: Math.max(knownMs, change.lastReceivedMs),
    };
  // A zero-length outage never happened: a heartbeat that was received before the outage, but processed later, disproved it. In
  // this case, no heartbeat was received at `onlineAtMs`.
  const receivedMs =
    change.onlineAtMs === change.offlineSinceMs ? change.onlineAtMs - onlineWindowMs : change.onlineAtMs;
  return { status: 'online', sinceMs: change.onlineAtMs, lastReceivedMs: Math.max(knownMs, receivedMs) };
};

/**
 * Applies the receipt of a heartbeat that affects the current status. If the previous heartbeat was received more than 300 s
 * earlier, an outage began 300 s after that heartbeat and ends now.
 *
 * Heartbeats may be processed out of order. A heartbeat that was received less than 300 s before the current outage began proves
 * that the outage never happened, so the outage is recorded with zero length. A heartbeat that was received even earlier changes
 * nothing.
 */
export const applyReceipt = (was: Liveness | undefined, receivedMs: number): LivenessTransition => {
  if (!was) {
    const change = wentOnline(receivedMs, null);
    return { state: applyRecordedChange(was, change), changes: [change] };
  }
  const is = { ...was, lastReceivedMs: Math.max(was.lastReceivedMs, receivedMs) };
  if (was.status === 'offline') {
    if (receivedMs + onlineWindowMs <= was.sinceMs) return { state: is, changes: [] };
    const sinceMs = Math.max(receivedMs, was.sinceMs);
    return { state: { ...is, status: 'online', sinceMs }, changes: [wentOnline(sinceMs, was.sinceMs)] };
  }
  if (receivedMs - was.lastReceivedMs <= onlineWindowMs) return { state: is, changes: [] };
  const offline = wentOffline(was);
  const online = wentOnline(receivedMs, offline.offlineAtMs);
  return { state: { status: 'online', sinceMs: receivedMs, lastReceivedMs: receivedMs }, changes: [offline, online] };
};

/**
 * Applies a period without heartbeats that lasts until `untilMs`. A device or feeder goes offline if the period is longer than
 * 300 s.
 */
export const applySilence = (was: Liveness, untilMs: number): LivenessTransition => {
  if (was.status === 'offline' || untilMs - was.lastReceivedMs <= onlineWindowMs) return { state: was, changes: [] };
  const change = wentOffline(was);
  return { state: applyRecordedChange(was, change), changes: [change] };
};
