import type { DurationSource, TextSource, TimeSource } from '@popsvc/contracts/mappings';
import { decimal } from './decimal.ts';
import { fieldAt } from './field-at.ts';
import { shown, Trouble } from './trouble.ts';

/** What a field of a mapping reads from an event: its value, undefined where it is absent, or what is wrong with it. */
export type Reader<Value> = (event: unknown) => Value | undefined | Trouble;

/**
 * A value as text: numbers as decimal digits, booleans as `true` and `false`, blanks around it cut off. Nothing but blanks,
 * and null, are absent.
 */
const textOf = (value: unknown, at: string): string | undefined | Trouble => {
  if (typeof value === 'string') return value.trim() || undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return new Trouble('unparsable', `${at}: is ${shown(value)}, not a single value`);
  return decimal(value) ?? new Trouble('unparsable', `${at}: ${shown(value)} has lost digits; it must be sent as text`);
};

/** How reasons name a field: ours, and where it stands in the event. */
export const placeOf = (target: string, { path }: { readonly path?: string | undefined }): string =>
  path === undefined || path === target ? target : `${target} (${path})`;

type Source = TextSource | TimeSource | DurationSource;

const asText = (constant: string | number | boolean | undefined, at: string): string | undefined => {
  const text = textOf(constant, at);
  return typeof text === 'string' ? text : undefined;
};

/** Reads a source as text, its constants, default and map applied. */
export const textReader = (source: Source, at: string): Reader<string> => {
  const constant = asText(source.const, at);
  if (source.path === undefined) return () => constant;
  const read = fieldAt(source.path);
  const whenPresent = asText(source.when_present, at);
  const whenAbsent = asText(source.when_absent ?? source.default, at);
  const map = source.map && new Map(Object.entries(source.map).map(([from, to]) => [from, asText(to, at)]));
  return (event) => {
    const sent = textOf(read(event), at);
    if (sent === undefined || sent instanceof Trouble) return sent ?? whenAbsent;
    if (whenPresent !== undefined) return whenPresent;
    // What is mapped to nothing is as if it had not been sent.
    return map?.has(sent) ? (map.get(sent) ?? whenAbsent) : sent;
  };
};
