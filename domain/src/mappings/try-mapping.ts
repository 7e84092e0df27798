import type { Mapping } from '@popsvc/contracts/mappings';
import { instantOf } from '@popsvc/contracts/time';
import { fieldReaders } from './field-readers.ts';
import type { Reader } from './text-reader.ts';
import { DeviceTime } from './time-reader.ts';
import { shown, Trouble } from './mapping-result.ts';

/** What one field of a mapping found in one event. */
export interface FieldTrial {
  /** The target, with its path: `screenId (frame.id)`. */
  readonly field: string;
  readonly outcome: 'found' | 'missing' | 'unparsable';
  /** What was found, as the play would have it; or what is wrong with it. */
  readonly value: string | undefined;
}

const toldTime = (time: number | DeviceTime): string => {
  const [ms, by] = time instanceof DeviceTime ? [time.wallMs, 'device time'] : [time, 'UTC'];
  const isDate = Math.abs(ms) <= 8.64e15;
  return isDate ? `${instantOf(ms).slice(0, -1)} ${by}` : shown(ms);
};

const trial = <Value>(
  field: string,
  value: Value | undefined | Trouble,
  told: (value: Value) => string,
): FieldTrial => {
  if (value === undefined) return { field, outcome: 'missing', value: undefined };
  if (!(value instanceof Trouble)) return { field, outcome: 'found', value: told(value) };
  return { field, outcome: value.code === 'missing' ? 'missing' : 'unparsable', value: value.reason };
};

/** Tries every field of a mapping on its own, all three times too, so that one bad field hides no other. */
export const tryMapping = (mapping: Mapping): ((event: unknown) => readonly FieldTrial[]) => {
  const { texts, required, places, ...readers } = fieldReaders(mapping);
  const { playedAt, endedAt, duration, context } = mapping.fields;
  const attempts: ((event: unknown) => FieldTrial)[] = [];
  const attempt = <Value>(field: string, read: Reader<Value>, told: (value: Value) => string) =>
    attempts.push((event) => trial(field, read(event), told));
  for (const { at, read } of texts) attempt(at, read, shown);
  if (playedAt) attempt(places.playedAt, readers.playedAt, toldTime);
  if (endedAt) attempt(places.endedAt, readers.endedAt, toldTime);
  if (duration) attempt(places.duration, readers.duration, (ms) => `${ms} ms`);
  if (context) attempt(`context (${context.path})`, readers.context, (value) => `${Object.keys(value).length} keys`);
  for (const { at, read } of required) attempt(`required (${at})`, read, shown);
  return (event) => attempts.map((one) => one(event));
};

/** Whether times of a mapping may be by the clock of a device, so that its zone must be known. */
export const mayNeedDeviceZone = ({ fields: { playedAt, endedAt } }: Mapping): boolean =>
  [playedAt, endedAt].some(
    (source) =>
      source !== undefined &&
      (source.zone ?? 'device') === 'device' &&
      source.offset_path === undefined &&
      source.time !== 'unix_s' &&
      source.time !== 'unix_ms',
  );
