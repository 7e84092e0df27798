import { shortenValue } from '@popsvc/contracts/errors';
import type { Mapping } from '@popsvc/contracts/mappings';
import { instantOf } from '@popsvc/contracts/time';
import { fieldReaders } from './field-readers.ts';
import type { Reader } from './text-reader.ts';
import { DeviceTime, type ReadTime, ZonedTime } from './time-reader.ts';
import { Trouble } from './mapping-result.ts';

export interface FieldTrial {
  /** The field of the play with its path in the event, such as `screenId (frame.id)`. */
  readonly field: string;
  readonly outcome: 'found' | 'missing' | 'unparsable';
  /** The value in readable form, or why the field cannot be read. */
  readonly value: string | undefined;
}

const formatTime = (time: ReadTime): string => {
  const instantMs = time instanceof ZonedTime ? time.instantMs : time;
  const [ms, by] = instantMs instanceof DeviceTime ? [instantMs.wallMs, 'device time'] : [instantMs, 'UTC'];
  const isDate = Math.abs(ms) <= 8.64e15;
  return isDate ? `${instantOf(ms).slice(0, -1)} ${by}` : shortenValue(ms);
};

const trial = <Value>(
  field: string,
  value: Value | undefined | Trouble,
  format: (value: Value) => string,
): FieldTrial => {
  if (value === undefined) return { field, outcome: 'missing', value: undefined };
  if (!(value instanceof Trouble)) return { field, outcome: 'found', value: format(value) };
  return { field, outcome: value.code === 'missing' ? 'missing' : 'unparsable', value: value.reason };
};

/** Reads each field separately, so that an invalid field does not hide problems in other fields. */
export const tryMapping = (mapping: Mapping): ((event: unknown) => readonly FieldTrial[]) => {
  const { texts, required, places, ...readers } = fieldReaders(mapping);
  const { playedAt, endedAt, duration, context } = mapping.fields;
  const attempts: ((event: unknown) => FieldTrial)[] = [];
  const attempt = <Value>(field: string, read: Reader<Value>, format: (value: Value) => string) =>
    attempts.push((event) => trial(field, read(event), format));
  for (const { at, read } of texts) attempt(at, read, shortenValue);
  if (playedAt) attempt(places.playedAt, readers.playedAt, formatTime);
  if (endedAt) attempt(places.endedAt, readers.endedAt, formatTime);
  if (duration) attempt(places.duration, readers.duration, (ms) => `${ms} ms`);
  if (context) attempt(`context (${context.path})`, readers.context, (value) => `${Object.keys(value).length} keys`);
  for (const { at, read } of required) attempt(`required (${at})`, read, shortenValue);
  return (event) => attempts.map((one) => one(event));
};

/** Whether the mapping may yield local times of the device, which need the device's time zone. */
export const mayNeedDeviceZone = ({ fields: { playedAt, endedAt } }: Mapping): boolean =>
  [playedAt, endedAt].some(
    (source) =>
      source !== undefined &&
      (source.zone ?? 'device') === 'device' &&
      source.offset_path === undefined &&
      source.time !== 'unix_s' &&
      source.time !== 'unix_ms',
  );
