import type { HeartbeatRecorded } from '@popsvc/contracts/events';
import type { LivenessKind } from '@popsvc/contracts/vocabulary';

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
