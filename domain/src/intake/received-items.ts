import type { Detection, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import type { RecordedDetection, RecordedHeartbeat, RecordedInterval, RecordedPlay } from '@popsvc/contracts/events';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const clockAheadMs = 60 * secondMs;
const lateMs = 14 * dayMs;
const year2000 = Date.UTC(2000, 0, 1);

/** Anomalies in the time of a play. The service accepts the play anyway and shows the anomalies to operators and vendors. */
export interface PlayTimeFlags {
  /** Whether the play was received more than 14 days after it began. */
  readonly late: boolean;
  /** Whether the play began more than 60 s after its receipt, which means that the sender's clock is ahead. */
  readonly clockAhead: boolean;
}

export const playTimeFlags = (playedAtMs: number, receivedAtMs: number): PlayTimeFlags => ({
  late: receivedAtMs - playedAtMs > lateMs,
  clockAhead: playedAtMs - receivedAtMs > clockAheadMs,
});

/** Returns an error message if a time is more than 24 h in the future, otherwise undefined. */
export const checkNotAhead = (atMs: number, receivedAtMs: number): string | undefined =>
  atMs - receivedAtMs > dayMs ? 'must not be more than 24 h in the future' : undefined;

/**
 * Returns an error message if a play, detection or interval began more than 24 h in the future, before 2000, or more than
 * `maxAgeDays` ago; otherwise undefined.
 */
export const checkPlayedAt = (playedAtMs: number, receivedAtMs: number, maxAgeDays?: number): string | undefined => {
  const ahead = checkNotAhead(playedAtMs, receivedAtMs);
  if (ahead !== undefined) return ahead;
  if (playedAtMs < year2000) return 'must not be before the year 2000';
  if (maxAgeDays !== undefined && receivedAtMs - playedAtMs > maxAgeDays * dayMs)
    return `must not be more than ${maxAgeDays} days ago`;
  return undefined;
};

/** Converts a valid ISO 8601 time to the canonical form: UTC with milliseconds and Z. Throws a RangeError for any other text. */
const toUtcInstant = (text: string): string => {
  const ms = instantMs(text);
  if (ms === undefined) throw new RangeError(`invalid instant ${JSON.stringify(text)}`);
  return isCanonicalForm(text) ? text : instantOf(ms);
};

/**
 * Returns whether a valid time is in canonical form. Most senders use this form, and the check is cheaper than formatting the time again.
 */
const isCanonicalForm = (instant: string): boolean =>
  instant.length === 24 && instant[10] === 'T' && instant[19] === '.' && instant[23] === 'Z';

/** Converts a play to the form that its event stores: `playedAt` in UTC with milliseconds, all other fields unchanged. */
export const toRecordedPlay = (play: PopEvent): RecordedPlay => ({ ...play, playedAt: toUtcInstant(play.playedAt) });

/**
 * Returns the content of a play as RFC 8785 JSON, with sorted keys at every depth and `playedAt` in UTC. Plays with the same event id
 * are duplicates if their JSON is equal; otherwise they conflict.
 */
export const canonicalContent = (play: PopEvent | RecordedPlay): string => stringify(toRecordedPlay(play));

/**
 * Converts a detection to the form that its event stores: times in UTC with milliseconds, the age as a string, and defaults for
 * missing fields.
 */
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

/**
 * Converts a heartbeat to the form that its event stores: the time in UTC with milliseconds and, for the heartbeat of an app without
 * a state, the state `running`.
 */
export const toRecordedHeartbeat = ({ at, ...heartbeat }: Heartbeat): RecordedHeartbeat => ({
  ...heartbeat,
  ...(heartbeat.appCode !== undefined && { state: heartbeat.state ?? 'running' }),
  at: toUtcInstant(at),
});

const utcOrNull = (instant: string | null | undefined): string | null =>
  instant === undefined || instant === null ? null : toUtcInstant(instant);

/**
 * Converts an interval to the form that its event stores: times in UTC with milliseconds, null for missing times, and 0 for a missing
 * revision.
 */
export const toRecordedInterval = (interval: Interval): RecordedInterval => ({
  deviceId: interval.deviceId,
  appCode: interval.appCode,
  state: interval.state,
  startedAt: toUtcInstant(interval.startedAt),
  endedAt: utcOrNull(interval.endedAt),
  lastHeartbeatAt: utcOrNull(interval.lastHeartbeatAt),
  revision: interval.revision ?? 0,
});
