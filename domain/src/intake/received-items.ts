import type { Detection, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import type { RecordedDetection, RecordedHeartbeat, RecordedInterval, RecordedPlay } from '@popsvc/contracts/events';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const clockAheadMs = 60 * secondMs;
const lateMs = 14 * dayMs;
const year2000 = Date.UTC(2000, 0, 1);

/** Anomalies in the time of a play, which the service accepts nevertheless. */
export interface PlayTimeFlags {
  /** Received more than 14 days after its start. */
  readonly late: boolean;
  /** Began more than 60 s after its receipt, because the sender's clock is ahead. */
  readonly clockAhead: boolean;
}

export const playTimeFlags = (playedAtMs: number, receivedAtMs: number): PlayTimeFlags => ({
  late: receivedAtMs - playedAtMs > lateMs,
  clockAhead: playedAtMs - receivedAtMs > clockAheadMs,
});

export const checkNotAhead = (atMs: number, receivedAtMs: number): string | undefined =>
  atMs - receivedAtMs > dayMs ? 'must not be more than 24 h in the future' : undefined;

export const checkPlayedAt = (playedAtMs: number, receivedAtMs: number, maxAgeDays?: number): string | undefined => {
  const ahead = checkNotAhead(playedAtMs, receivedAtMs);
  if (ahead !== undefined) return ahead;
  if (playedAtMs < year2000) return 'must not be before the year 2000';
  if (maxAgeDays !== undefined && receivedAtMs - playedAtMs > maxAgeDays * dayMs)
    return `must not be more than ${maxAgeDays} days ago`;
  return undefined;
};

const toUtcInstant = (text: string): string => {
  const ms = instantMs(text);
  if (ms === undefined) throw new RangeError(`invalid instant ${JSON.stringify(text)}`);
  return isCanonicalForm(text) ? text : instantOf(ms);
};

/** The time must be valid. This check is cheaper than to format the time again. */
const isCanonicalForm = (instant: string): boolean =>
  instant.length === 24 && instant[10] === 'T' && instant[19] === '.' && instant[23] === 'Z';

/** Converts a play to the form that its event stores: `playedAt` in UTC with milliseconds, all other fields unchanged. */
export const toRecordedPlay = (play: PopEvent): RecordedPlay => ({ ...play, playedAt: toUtcInstant(play.playedAt) });

/** Plays with the same event id are duplicates if this RFC 8785 JSON is equal; different JSON is a conflict. */
export const canonicalContent = (play: PopEvent | RecordedPlay): string => stringify(toRecordedPlay(play));

/** Converts a detection to the form that its event stores, with defaults for missing fields. */
export const toRecordedDetection = ({ age, ...detection }: Detection): RecordedDetection => ({
  ...detection,
  revision: detection.revision ?? 0,
  startedAt: toUtcInstant(detection.startedAt),
  endedAt: toUtcInstant(detection.endedAt),
  ...(age !== undefined && { age: String(age) }),
  distance: detection.distance ?? [],
  watches: detection.watches.map(({ startedAt, endedAt }) => ({
    startedAt: toUtcInstant(startedAt),
    endedAt: toUtcInstant(endedAt),
  })),
  population: detection.population ?? 'VIEWER',
});

export const toRecordedHeartbeat = ({ at, ...heartbeat }: Heartbeat): RecordedHeartbeat => ({
  ...heartbeat,
  ...(heartbeat.appCode !== undefined && { state: heartbeat.state ?? 'running' }),
  at: toUtcInstant(at),
});

const utcOrNull = (instant: string | null | undefined): string | null =>
  instant === undefined || instant === null ? null : toUtcInstant(instant);

/** Converts an interval to the form that its event stores: null for missing times, and 0 for a missing revision. */
export const toRecordedInterval = (interval: Interval): RecordedInterval => ({
  deviceId: interval.deviceId,
  appCode: interval.appCode,
  state: interval.state,
  startedAt: toUtcInstant(interval.startedAt),
  endedAt: utcOrNull(interval.endedAt),
  lastHeartbeatAt: utcOrNull(interval.lastHeartbeatAt),
  revision: interval.revision ?? 0,
});
