import type { DurationSource } from '@popsvc/contracts/mappings';
import { scaled } from './decimal.ts';
import { type Reader, textReader } from './text-reader.ts';
import { shown, Trouble } from './trouble.ts';

/** Reads a duration in whole ms, half up. */
export const durationReader = (source: DurationSource, at: string): Reader<number> => {
  const read = textReader(source, at);
  const { unit = 'ms' } = source;
  const places = unit === 's' ? 3 : 0;
  return (event) => {
    const text = read(event);
    if (text === undefined || text instanceof Trouble) return text;
    return scaled(text, places) ?? new Trouble('unparsable', `${at}: ${shown(text)} is not a length in ${unit}`);
  };
};
