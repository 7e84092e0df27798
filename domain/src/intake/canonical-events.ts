import type { Detection, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import type { DetectionRecorded, HeartbeatRecorded, IntervalRecorded, PopRecorded } from '@popsvc/contracts/events';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

/** An instant that was checked at the door, in the house's one form. */
const toUtcInstant = (text: string): string => {
  const ms = instantMs(text);
  if (ms === undefined) throw new RangeError(`Not an instant: ${JSON.stringify(text)}`);
  return isHouseForm(text) ? text : instantOf(ms);
};

/** Whether an instant is written as the house writes it already; most senders do, and writing it again is the dearer part. */
const isHouseForm = (instant: string): boolean =>
  instant.length === 24 && instant[10] === 'T' && instant[19] === '.' && instant[23] === 'Z';

/** A play as the log keeps it: as sent, its instant in UTC with milliseconds. */
export const toPopRecorded = (play: PopEvent): PopRecorded => ({ ...play, playedAt: toUtcInstant(play.playedAt) });

/**
 * What a play says, as one text: keys sorted at every depth, instants in one form. The same play written otherwise gives
 * the same text; another text under the same id is a conflict (decisions 4.5).
 */
export const canonicalContent = (play: PopEvent | PopRecorded): string => stringify(toPopRecorded(play));

/** A detection as the log keeps it: instants in UTC with milliseconds, age as text, defaults written out. */
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

/** A heartbeat as the log keeps it: its instant in UTC with milliseconds, the state of an app written out. */
export const toHeartbeatRecorded = ({ at, ...heartbeat }: Heartbeat): HeartbeatRecorded => ({
  ...heartbeat,
  ...(heartbeat.appCode !== undefined && { state: heartbeat.state ?? 'running' }),
  at: toUtcInstant(at),
});

const utcOrNull = (instant: string | null | undefined): string | null =>
  instant === undefined || instant === null ? null : toUtcInstant(instant);

/** An interval as the log keeps it: instants in UTC with milliseconds, what is left out written as null or 0. */
export const toIntervalRecorded = (interval: Interval): IntervalRecorded => ({
  deviceId: interval.deviceId,
  appCode: interval.appCode,
  state: interval.state,
  startedAt: toUtcInstant(interval.startedAt),
  endedAt: utcOrNull(interval.endedAt),
  lastHeartbeatAt: utcOrNull(interval.lastHeartbeatAt),
  revision: interval.revision ?? 0,
});
