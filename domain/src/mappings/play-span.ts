import type { FieldReaders } from './field-readers.ts';
import { Trouble } from './mapping-result.ts';
import { type Clock, DeviceTime, type ReadTime, resolveWallTime, ZonedTime } from './time-reader.ts';

export interface PlaySpan {
  readonly startMs: number;
  readonly durationMs: number;
}

/** `end` is not read if the event contains both a start and a duration. */
export interface GivenSpan {
  readonly start: ReadTime | undefined;
  readonly end: ReadTime | undefined;
  readonly durationMs: number | undefined;
}

const missing = ({ places }: FieldReaders, { start, end, durationMs }: GivenSpan): Trouble | undefined => {
  const absent = [
    start === undefined ? places.playedAt : undefined,
    durationMs === undefined ? places.duration : undefined,
    end === undefined ? places.endedAt : undefined,
  ].filter((place) => place !== undefined);
  if (absent.length < 2 || (start !== undefined && durationMs !== undefined)) return undefined;
  return new Trouble('missing', `two of start, end and duration are needed: ${absent.join(' and ')} are missing`);
};

/** If there are problems, adds them to `troubles` and returns undefined. */
export const readSpan = (readers: FieldReaders, event: unknown, troubles: Trouble[]): GivenSpan | undefined => {
  const before = troubles.length;
  const valueOrTrouble = <Value>(value: Value | Trouble): Value | undefined => {
    if (!(value instanceof Trouble)) return value;
    troubles.push(value);
    return undefined;
  };
  const [start, durationMs] = [valueOrTrouble(readers.playedAt(event)), valueOrTrouble(readers.duration(event))];
  if (troubles.length > before) return undefined;
  const end = start === undefined || durationMs === undefined ? valueOrTrouble(readers.endedAt(event)) : undefined;
  if (troubles.length > before) return undefined;
  const span = { start, end, durationMs };
  const trouble = missing(readers, span);
  if (!trouble) return span;
  troubles.push(trouble);
  return undefined;
};

/** `deviceClock` converts times that are given as local time of the device. */
export const resolveSpan = (
  { start, end, durationMs }: GivenSpan,
  { places }: FieldReaders,
  deviceClock: Clock,
): PlaySpan | Trouble => {
  const resolve = (time: ReadTime | undefined, at: string): number | Trouble => {
    if (time instanceof DeviceTime) return resolveWallTime(time.wallMs, deviceClock, at);
    return time instanceof ZonedTime ? time.instantMs : (time ?? Number.NaN);
  };
  const startMs = start === undefined ? undefined : resolve(start, places.playedAt);
  if (startMs instanceof Trouble) return startMs;
  if (startMs !== undefined && durationMs !== undefined) return { startMs, durationMs };
  const endMs = resolve(end, places.endedAt);
  if (endMs instanceof Trouble) return endMs;
  if (startMs === undefined) return { startMs: endMs - durationMs!, durationMs: durationMs! };
  if (endMs > startMs) return { startMs, durationMs: endMs - startMs };
  return new Trouble('invalid', `${places.endedAt}: is not after ${places.playedAt}`);
};

/** Returns the time zone whose rules determine the start; undefined for a time in UTC, a time with an offset and a Unix time. */
export const findStartZone = ({ start, end }: GivenSpan, deviceZone: () => string | undefined): string | undefined => {
  const time = start ?? end;
  if (time instanceof DeviceTime) return deviceZone();
  return time instanceof ZonedTime ? time.zone : undefined;
};
