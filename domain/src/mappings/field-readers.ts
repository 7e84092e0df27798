import { shortenValue } from '@popsvc/contracts/errors';
import type { DurationSource, Mapping, TextSource } from '@popsvc/contracts/mappings';
import { Trouble } from './mapping-result.ts';
import { fieldAt, placeOf, type Reader, scaled, textReader } from './text-reader.ts';
import { type ReadTime, timeReader } from './time-reader.ts';

/** Durations are whole ms, rounded half up. */
const durationReader = (source: DurationSource, at: string): Reader<number> => {
  const read = textReader(source, at);
  const { unit = 'ms' } = source;
  const places = unit === 's' ? 3 : 0;
  return (event) => {
    const text = read(event);
    if (text === undefined || text instanceof Trouble) return text;
    return scaled(text, places) ?? new Trouble('unparsable', `${at}: ${shortenValue(text)} is not a length in ${unit}`);
  };
};

const texts = ['eventId', 'screenId', 'siteId', 'campaignId', 'creativeId', 'startReason'] as const;
export type TextTarget = (typeof texts)[number];

export interface FieldReaders {
  readonly texts: readonly { readonly target: TextTarget; readonly at: string; readonly read: Reader<string> }[];
  readonly required: readonly { readonly at: string; readonly read: Reader<unknown> }[];
  readonly playedAt: Reader<ReadTime>;
  readonly endedAt: Reader<ReadTime>;
  readonly duration: Reader<number>;
  readonly context: Reader<Record<string, unknown>>;
  /** The names of the time fields as shown in failure reasons. */
  readonly places: { readonly playedAt: string; readonly endedAt: string; readonly duration: string };
}

const absent = (): undefined => undefined;

const objectReader = (path: string): Reader<Record<string, unknown>> => {
  const read = fieldAt(path);
  return (event) => {
    const value = read(event) ?? undefined;
    if (value === undefined || value === '') return undefined;
    if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
    return new Trouble('unparsable', `context (${path}): is ${shortenValue(value)}, not an object`);
  };
};

/** Accepts a value of any type; null and blank text count as absent. */
const presenceReader = (path: string): Reader<unknown> => {
  const read = fieldAt(path);
  return (event) => {
    const value = read(event);
    return typeof value === 'string' ? value.trim() || undefined : (value ?? undefined);
  };
};

export const fieldReaders = ({ fields, required = [] }: Mapping): FieldReaders => {
  const { playedAt, endedAt, duration, context } = fields;
  const places = {
    playedAt: placeOf('playedAt', playedAt ?? {}),
    endedAt: placeOf('endedAt', endedAt ?? {}),
    duration: placeOf('duration', duration ?? {}),
  };
  return {
    texts: texts.flatMap((target) => {
      const source: TextSource | undefined = fields[target];
      if (!source) return [];
      const at = placeOf(target, source);
      return [{ target, at, read: textReader(source, at) }];
    }),
    required: required.map((path) => ({ at: path, read: presenceReader(path) })),
    playedAt: playedAt ? timeReader(playedAt, places.playedAt) : absent,
    endedAt: endedAt ? timeReader(endedAt, places.endedAt) : absent,
    duration: duration ? durationReader(duration, places.duration) : absent,
    context: context ? objectReader(context.path) : absent,
    places,
  };
};
