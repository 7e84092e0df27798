import type { Detection, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import type { DetectionRecorded, HeartbeatRecorded, IntervalRecorded, PopRecorded } from '@popsvc/contracts/events';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

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
