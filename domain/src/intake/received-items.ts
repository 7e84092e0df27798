import type { Detection, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import type { DetectionRecorded, HeartbeatRecorded, IntervalRecorded, PopRecorded } from '@popsvc/contracts/events';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const clockAheadMs = 60 * secondMs;
const lateMs = 14 * dayMs;
const year2000 = Date.UTC(2000, 0, 1);

/** Flags of an accepted play for operators: late, or from a clock that runs ahead (decisions 4.6). */
export interface PlayTimeFlags {
  /** Received more than 14 days after the play. */
  readonly late: boolean;
  /** The play begins more than 60 s after its receipt. */
  readonly clockAhead: boolean;
}

export const playTimeFlags = (playedAtMs: number, receivedAtMs: number): PlayTimeFlags => ({
  late: receivedAtMs - playedAtMs > lateMs,
  clockAhead: playedAtMs - receivedAtMs > clockAheadMs,
});

/** Returns the error message for an instant too far in the future, else undefined. */
export const checkNotAhead = (atMs: number, receivedAtMs: number): string | undefined =>
  atMs - receivedAtMs > dayMs ? 'must not be more than 24 h in the future' : undefined;

/** Returns the error message for an invalid start of a play, detection or interval, else undefined. */
export const checkPlayedAt = (playedAtMs: number, receivedAtMs: number, maxAgeDays?: number): string | undefined => {
  const ahead = checkNotAhead(playedAtMs, receivedAtMs);
  if (ahead !== undefined) return ahead;
  if (playedAtMs < year2000) return 'must not be before the year 2000';
  if (maxAgeDays !== undefined && receivedAtMs - playedAtMs > maxAgeDays * dayMs)
    return `must not be more than ${maxAgeDays} days ago`;
  return undefined;
};

/** Converts a validated instant to UTC with milliseconds and Z. */
const toUtcInstant = (text: string): string => {
  const ms = instantMs(text);
  if (ms === undefined) throw new RangeError(`Not an instant: ${JSON.stringify(text)}`);
  return isCanonicalForm(text) ? text : instantOf(ms);
};

/** Most senders already use the canonical form; parsing and formatting it again costs more than this check. */
const isCanonicalForm = (instant: string): boolean =>
  instant.length === 24 && instant[10] === 'T' && instant[19] === '.' && instant[23] === 'Z';

/** Converts a play to its event: as sent, with its instant in UTC with milliseconds. */
export const toPopRecorded = (play: PopEvent): PopRecorded => ({ ...play, playedAt: toUtcInstant(play.playedAt) });

/**
 * The content of a play as text: keys sorted at every depth, instants in one form. Equal plays have equal texts; another text
 * under the same id is a conflict (decisions 4.5).
 */
export const canonicalContent = (play: PopEvent | PopRecorded): string => stringify(toPopRecorded(play));

/** Converts a detection to its event: instants in UTC with milliseconds, age as text, defaults filled in. */
export const toDetectionRecorded = ({ age, ...detection }: Detection): DetectionRecorded => ({
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

/** Converts a heartbeat to its event: its instant in UTC with milliseconds, the default state of an app filled in. */
export const toHeartbeatRecorded = ({ at, ...heartbeat }: Heartbeat): HeartbeatRecorded => ({
  ...heartbeat,
  ...(heartbeat.appCode !== undefined && { state: heartbeat.state ?? 'running' }),
  at: toUtcInstant(at),
});

const utcOrNull = (instant: string | null | undefined): string | null =>
  instant === undefined || instant === null ? null : toUtcInstant(instant);

/** Converts an interval to its event: instants in UTC with milliseconds, missing fields as null or 0. */
export const toIntervalRecorded = (interval: Interval): IntervalRecorded => ({
  deviceId: interval.deviceId,
  appCode: interval.appCode,
  state: interval.state,
  startedAt: toUtcInstant(interval.startedAt),
  endedAt: utcOrNull(interval.endedAt),
  lastHeartbeatAt: utcOrNull(interval.lastHeartbeatAt),
  revision: interval.revision ?? 0,
});
