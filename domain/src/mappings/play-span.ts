import type { FieldReaders } from './field-readers.ts';
import { DeviceTime, type OffsetAt, settled } from './time-reader.ts';
import { Trouble } from './mapping-result.ts';

/** When a play began and how long it was. */
export interface PlaySpan {
  readonly startMs: number;
  readonly durationMs: number;
}

/** What an event tells of start, end and duration; with start and duration its end is not even looked at. */
export interface ToldSpan {
  readonly start: number | DeviceTime | undefined;
  readonly end: number | DeviceTime | undefined;
  readonly durationMs: number | undefined;
}

const missing = ({ places }: FieldReaders, { start, end, durationMs }: ToldSpan): Trouble | undefined => {
  const absent = [
    start === undefined ? places.playedAt : undefined,
    durationMs === undefined ? places.duration : undefined,
    end === undefined ? places.endedAt : undefined,
  ].filter((place) => place !== undefined);
  if (absent.length < 2 || (start !== undefined && durationMs !== undefined)) return undefined;
  return new Trouble('missing', `two of start, end and duration are needed: ${absent.join(' and ')} are missing`);
};

/** Reads the times of an event; what is wrong with them goes to the troubles. */
export const toldSpan = (readers: FieldReaders, event: unknown, troubles: Trouble[]): ToldSpan | undefined => {
  const before = troubles.length;
  const told = <Value>(value: Value | Trouble): Value | undefined => {
    if (!(value instanceof Trouble)) return value;
    troubles.push(value);
    return undefined;
  };
  const [start, durationMs] = [told(readers.playedAt(event)), told(readers.duration(event))];
  if (troubles.length > before) return undefined;
  const end = start === undefined || durationMs === undefined ? told(readers.endedAt(event)) : undefined;
  if (troubles.length > before) return undefined;
  const span = { start, end, durationMs };
  const trouble = missing(readers, span);
  if (!trouble) return span;
  troubles.push(trouble);
  return undefined;
};

/** The span of a play, times by the clock of its device settled. */
export const settledSpan = (
  { start, end, durationMs }: ToldSpan,
  { places }: FieldReaders,
  deviceOffset: OffsetAt,
): PlaySpan | Trouble => {
  const settle = (time: number | DeviceTime | undefined, at: string): number | Trouble =>
    time instanceof DeviceTime ? settled(time.wallMs, deviceOffset, at) : (time ?? Number.NaN);
  const startMs = start === undefined ? undefined : settle(start, places.playedAt);
  if (startMs instanceof Trouble) return startMs;
  if (startMs !== undefined && durationMs !== undefined) return { startMs, durationMs };
  const endMs = settle(end, places.endedAt);
  if (endMs instanceof Trouble) return endMs;
  if (startMs === undefined) return { startMs: endMs - durationMs!, durationMs: durationMs! };
  if (endMs > startMs) return { startMs, durationMs: endMs - startMs };
  return new Trouble('invalid', `${places.endedAt}: is not after ${places.playedAt}`);
};
