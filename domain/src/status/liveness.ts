import type { RecordedHeartbeat } from '@popsvc/contracts/events';
import type { LivenessKind, Status } from '@popsvc/contracts/vocabulary';

/** How long a device or feeder counts as online after the receipt of a heartbeat. */
export const onlineWindowMs = 300_000;

/** A heartbeat that is appended later than this after its receipt, such as that of a retried request, also counts as backfilled. */
export const promptAppendMs = 30_000;

export interface LivenessSubject {
  readonly kind: LivenessKind;
  readonly id: number;
}

export interface ClassifiedHeartbeat extends LivenessSubject {
  /** When the heartbeat was received, in ms since 1970; undefined if the heartbeat does not affect the current status. */
  readonly countedMs: number | undefined;
  /** A past time of activity that shortens a recorded outage, in ms since 1970. */
  readonly backfilledMs: number | undefined;
}

/** `recordedMs`: when the heartbeat was appended to the log. */
export interface HeartbeatTimes {
  readonly receivedMs: number;
  readonly recordedMs: number;
}

/** A heartbeat with a feeder concerns only the feeder. A heartbeat more than `onlineWindowMs` in the future has no effect. */
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

/** Exists from the first heartbeat that affects the current status. Times are in ms since 1970. */
export interface Liveness {
  readonly status: Status;
  readonly sinceMs: number;
  readonly lastReceivedMs: number;
}

/** `offlineSinceMs` is null at the first heartbeat that affects the current status. */
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

/** `changes` are to be recorded in order. */
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

/** Applies a status change that this process or another one recorded. */
export const applyRecordedChange = (was: Liveness | undefined, change: LivenessChange): Liveness => {
  const knownMs = was?.lastReceivedMs ?? -Infinity;
  if (change.status === 'offline')
    return {
      status: 'offline',
      sinceMs: change.offlineAtMs,
      lastReceivedMs: Math.max(knownMs, change.lastReceivedMs),
    };
  // An outage of length zero ends with a heartbeat that may have been received before `onlineAtMs` (see `applyReceipt`).
  const receivedMs =
    change.onlineAtMs === change.offlineSinceMs ? change.onlineAtMs - onlineWindowMs : change.onlineAtMs;
  return { status: 'online', sinceMs: change.onlineAtMs, lastReceivedMs: Math.max(knownMs, receivedMs) };
};

/**
 * Heartbeats may be processed out of order: one that was received before an outage may prove that the outage never happened. The outage
 * is then recorded with zero length.
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

export const applySilence = (was: Liveness, untilMs: number): LivenessTransition => {
  if (was.status === 'offline' || untilMs - was.lastReceivedMs <= onlineWindowMs) return { state: was, changes: [] };
  const change = wentOffline(was);
  return { state: applyRecordedChange(was, change), changes: [change] };
};
