import type { HeartbeatRecorded } from '@popsvc/contracts/events';
import type { LivenessKind, Status } from '@popsvc/contracts/vocabulary';

/** How long a device or feeder is online after a counted receipt, and the most a heartbeat's `at` may differ from its receipt. */
export const onlineWindowMs = 300_000;

/** A heartbeat appended later than this after its receipt comes from a retried request. */
export const promptAppendMs = 30_000;

/** A device or feeder by id. */
export interface LivenessSubject {
  readonly kind: LivenessKind;
  readonly id: number;
}

/** The effect of a heartbeat on its device or feeder. Milliseconds since 1970. */
export interface ClassifiedHeartbeat extends LivenessSubject {
  /** Receipt, if the heartbeat counts for the current status. */
  readonly countedMs: number | undefined;
  /** Instant of a late heartbeat; it shortens recorded outages. */
  readonly backfilledMs: number | undefined;
}

/** Times of receipt and append of a heartbeat. */
export interface HeartbeatTimes {
  readonly receivedMs: number;
  readonly recordedMs: number;
}

/**
 * Determines the subject of a heartbeat and how it counts (decisions 7.1). A feeder's heartbeat counts for the feeder only, an
 * app's for its device. It counts for the current status when `at` is within 300 s of the receipt. An older `at` is backfilled.
 * A counted heartbeat that was appended late, because its request was retried, is also backfilled at its receipt. An `at`
 * further in the future has no effect.
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

/** Liveness of a device or feeder with at least one counted heartbeat. Milliseconds since 1970. */
export interface Liveness {
  readonly status: Status;
  readonly sinceMs: number;
  /** The latest counted receipt. */
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

/** The new state and the changes to record, in order. */
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

/** Applies a recorded change, also one recorded by another process. A later known receipt is kept. */
export const applyRecordedChange = (was: Liveness | undefined, change: LivenessChange): Liveness => {
  const knownMs = was?.lastReceivedMs ?? -Infinity;
  if (change.status === 'offline')
    return {
      status: 'offline',
      sinceMs: change.offlineAtMs,
      lastReceivedMs: Math.max(knownMs, change.lastReceivedMs),
    };
  // The end of an outage of length zero is not a receipt.
  const receivedMs =
    change.onlineAtMs === change.offlineSinceMs ? change.onlineAtMs - onlineWindowMs : change.onlineAtMs;
  return { status: 'online', sinceMs: change.onlineAtMs, lastReceivedMs: Math.max(knownMs, receivedMs) };
};

/**
 * Applies a counted receipt (decisions 7.2). A gap of more than 300 s before it was an outage, from the last receipt + 300 s to
 * this receipt. Receipts may arrive out of order: an older one changes nothing, unless it disproves the current outage; that
 * outage then ends where it began.
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

/** Applies the absence of receipts up to an instant. */
export const applySilence = (was: Liveness, untilMs: number): LivenessTransition => {
  if (was.status === 'offline' || untilMs - was.lastReceivedMs <= onlineWindowMs) return { state: was, changes: [] };
  const change = wentOffline(was);
  return { state: applyRecordedChange(was, change), changes: [change] };
};
