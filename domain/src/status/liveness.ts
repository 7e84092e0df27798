import type { HeartbeatRecorded } from '@popsvc/contracts/events';
import type { LivenessKind, Status } from '@popsvc/contracts/vocabulary';

/**
 * How long a device or feeder counts as online after a heartbeat is received: 5 min. A heartbeat whose `at` differs from its time
 * of receipt by more than this does not count for the current status.
 */
export const onlineWindowMs = 300_000;

/** A heartbeat that was appended more than 30 s after its receipt is taken to come from a retried request. */
export const promptAppendMs = 30_000;

/** A device or feeder whose heartbeats are monitored. */
export interface LivenessSubject {
  readonly kind: LivenessKind;
  readonly id: number;
}

/** How a heartbeat affects its device or feeder. Times are in ms since 1970. */
export interface ClassifiedHeartbeat extends LivenessSubject {
  /** When the heartbeat was received; undefined if it does not count for the current status. */
  readonly countedMs: number | undefined;
  /** A time in the past at which the device or feeder turned out to be alive, which shortens recorded outages. */
  readonly backfilledMs: number | undefined;
}

/** When a heartbeat was received, and when it was appended to the log; ms since 1970. */
export interface HeartbeatTimes {
  readonly receivedMs: number;
  readonly recordedMs: number;
}

/**
 * Determines which device or feeder a heartbeat counts for, and how. A feeder's heartbeat counts for the feeder only, an app's
 * heartbeat for its device. A heartbeat counts for the current status if its `at` is within 300 s of its receipt. If it was
 * appended late because its request was retried, its time of receipt is backfilled, too. A heartbeat with an older `at` only
 * backfills that time. A heartbeat with an `at` further in the future has no effect.
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
 * Applies a status change that this or another process recorded. Keeps the last receipt known to `was` if it is later than the one
 * implied by the change.
 */
export const applyRecordedChange = (was: Liveness | undefined, change: LivenessChange): Liveness => {
  const knownMs = was?.lastReceivedMs ?? -Infinity;
  if (change.status === 'offline')
    return {
      status: 'offline',
      sinceMs: change.offlineAtMs,
      lastReceivedMs: Math.max(knownMs, change.lastReceivedMs),
    };
  // An outage of length zero means that an earlier receipt disproved it, so its end is not the time of a receipt.
  const receivedMs =
    change.onlineAtMs === change.offlineSinceMs ? change.onlineAtMs - onlineWindowMs : change.onlineAtMs;
  return { status: 'online', sinceMs: change.onlineAtMs, lastReceivedMs: Math.max(knownMs, receivedMs) };
};

/**
 * Applies the receipt of a heartbeat that counts for the current status. If the previous receipt was more than 300 s before, an
 * outage began 300 s after it and ends now. Receipts may arrive out of order. An older receipt changes nothing unless it is less
 * than 300 s before the beginning of the current outage. In that case the outage never happened, and it is closed with a length of
 * zero.
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

/** Applies the knowledge that no heartbeat was received up to the given time. */
export const applySilence = (was: Liveness, untilMs: number): LivenessTransition => {
  if (was.status === 'offline' || untilMs - was.lastReceivedMs <= onlineWindowMs) return { state: was, changes: [] };
  const change = wentOffline(was);
  return { state: applyRecordedChange(was, change), changes: [change] };
};
