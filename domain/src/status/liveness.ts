import type { HeartbeatRecorded } from '@popsvc/contracts/events';
import type { LivenessKind, Status } from '@popsvc/contracts/vocabulary';

/**
 * How long a device or feeder is online after the receipt of a heartbeat: 5 min. A heartbeat whose `at` differs from its receipt
 * by more than this does not count for the current status.
 */
export const onlineWindowMs = 300_000;

/** A heartbeat that was appended more than 30 s after its receipt comes from a retried request. */
export const promptAppendMs = 30_000;

/** A device or feeder whose heartbeats are monitored. */
export interface LivenessSubject {
  readonly kind: LivenessKind;
  readonly id: number;
}

/** The effect of a heartbeat on its device or feeder. Times are in ms since 1970. */
export interface ClassifiedHeartbeat extends LivenessSubject {
  /** When the heartbeat was received; undefined if it does not count for the current status. */
  readonly countedMs: number | undefined;
  /** An instant in the past at which the device or feeder was alive after all, which shortens recorded outages. */
  readonly backfilledMs: number | undefined;
}

/** When a heartbeat was received, and when it was appended to the log; ms since 1970. */
export interface HeartbeatTimes {
  readonly receivedMs: number;
  readonly recordedMs: number;
}

/**
 * Determines which device or feeder a heartbeat counts for, and how. A feeder's heartbeat counts for the feeder only, an app's
 * for its device. A heartbeat counts for the current status if its `at` is within 300 s of its receipt; if it was appended late,
 * because its request was retried, it is backfilled at its receipt as well. An older heartbeat is backfilled at its `at`. A
 * heartbeat whose `at` is further in the future has no effect.
 */
export const classifyHeartbeat = (
  { deviceId, feederId, at }: HeartbeatRecorded,
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

/** Whether a device or feeder is online, after at least one counted heartbeat. Times are in ms since 1970. */
export interface Liveness {
  readonly status: Status;
  readonly sinceMs: number;
  /** When the latest counted heartbeat was received. */
  readonly lastReceivedMs: number;
}

/** A change of status; `offlineSinceMs` is null for the first heartbeat ever. */
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

/** The new state, and the changes that led to it and are to be recorded, in order. */
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

/** Applies a change that this or another process recorded. Keeps the receipt of `was` if it is later than that of the change. */
export const applyRecordedChange = (was: Liveness | undefined, change: LivenessChange): Liveness => {
  const knownMs = was?.lastReceivedMs ?? -Infinity;
  if (change.status === 'offline')
    return {
      status: 'offline',
      sinceMs: change.offlineAtMs,
      lastReceivedMs: Math.max(knownMs, change.lastReceivedMs),
    };
  // An outage of length zero was disproved by an earlier receipt, so its end is not the time of a receipt.
  const receivedMs =
    change.onlineAtMs === change.offlineSinceMs ? change.onlineAtMs - onlineWindowMs : change.onlineAtMs;
  return { status: 'online', sinceMs: change.onlineAtMs, lastReceivedMs: Math.max(knownMs, receivedMs) };
};

/**
 * Applies the receipt of a counted heartbeat. If the last receipt was more than 300 s before, there was an outage that began 300 s
 * after the last receipt and ends with this one. Receipts may come out of order: an older one changes nothing, unless it lies so
 * close before the current outage that this outage never happened; the outage then ends at its beginning.
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

/** Applies the fact that no heartbeat was received up to an instant. */
export const applySilence = (was: Liveness, untilMs: number): LivenessTransition => {
  if (was.status === 'offline' || untilMs - was.lastReceivedMs <= onlineWindowMs) return { state: was, changes: [] };
  const change = wentOffline(was);
  return { state: applyRecordedChange(was, change), changes: [change] };
};
