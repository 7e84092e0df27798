import type { HeartbeatRecorded } from '@popsvc/contracts/events';
import type { LivenessKind, Status } from '@popsvc/contracts/vocabulary';

/** How long after a counted receipt something is online, and how far from its receipt a heartbeat's `at` may lie to count. */
export const onlineWindowMs = 300_000;

/** How long after its receipt a heartbeat is in the log, unless its request failed and was told again. */
export const promptAppendMs = 30_000;

/** What is heard: a device or a feeder, by its id. */
export interface LivenessSubject {
  readonly kind: LivenessKind;
  readonly id: number;
}

/** What a heartbeat says of whom. Milliseconds since 1970. */
export interface ClassifiedHeartbeat extends LivenessSubject {
  /** Receipt, when it counts for the present. */
  readonly countedMs: number | undefined;
  /** When it says it was alive, when it came too late to be heard in time: history is repaired by it. */
  readonly backfilledMs: number | undefined;
}

/** When a heartbeat was taken in, and when it stood in the log. */
export interface HeartbeatTimes {
  readonly receivedMs: number;
  readonly recordedMs: number;
}

/**
 * Whom a heartbeat counts for, and when (decisions 7.1): a feeder's for the feeder alone, an app's for its device; for the
 * present when its `at` is within 300 s of its receipt, on either side. An older one says that it was alive at `at`. One that
 * counted and came into the log long after its receipt, since its request was told again, says that it was alive then. One
 * with an `at` further ahead says nothing.
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

/** How something that was heard stands. Milliseconds since 1970. */
export interface Liveness {
  readonly status: Status;
  readonly sinceMs: number;
  /** The latest counted receipt. */
  readonly lastReceivedMs: number;
}

/** Of status; `offlineSinceMs` is null when it was heard for the first time. */
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

/** How it stands now, and the changes on the way there that have yet to be recorded, in their order. */
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

/** After a change that is recorded, whoever found it: what is recorded stands. Receipts that are known stay known. */
export const applyRecordedChange = (was: Liveness | undefined, change: LivenessChange): Liveness => {
  const knownMs = was?.lastReceivedMs ?? -Infinity;
  if (change.status === 'offline')
    return {
      status: 'offline',
      sinceMs: change.offlineAtMs,
      lastReceivedMs: Math.max(knownMs, change.lastReceivedMs),
    };
  // An outage without length was taken back: that instant is not a receipt.
  const receivedMs =
    change.onlineAtMs === change.offlineSinceMs ? change.onlineAtMs - onlineWindowMs : change.onlineAtMs;
  return { status: 'online', sinceMs: change.onlineAtMs, lastReceivedMs: Math.max(knownMs, receivedMs) };
};

/**
 * After a counted receipt (decisions 7.2). Silence of more than 300 s before it was an outage, from the last receipt + 300 s
 * to this one. Receipts may come out of order: an older one changes nothing, except that an outage which it shows never
 * began is ended where it begins.
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

/** After nothing else was heard up to an instant. */
export const applySilence = (was: Liveness, untilMs: number): LivenessTransition => {
  if (was.status === 'offline' || untilMs - was.lastReceivedMs <= onlineWindowMs) return { state: was, changes: [] };
  const change = wentOffline(was);
  return { state: applyRecordedChange(was, change), changes: [change] };
};
