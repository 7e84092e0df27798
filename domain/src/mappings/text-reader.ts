import {
  type DurationSource,
  type PathStep,
  pathSteps,
  type TextSource,
  type TimeSource,
} from '@popsvc/contracts/mappings';
import { shown, Trouble } from './mapping-result.ts';

/**
 * A number as decimal digits, without an exponent: what a vendor's numeric id reads like as text. Undefined for whole
 * numbers past 2^53, of which JSON has lost digits (two ids would become one), and for what is no number at all.
 */
const decimal = (value: number): string | undefined => {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
  const text = String(value);
  const [digits, exponent] = text.split('e-');
  if (exponent === undefined || digits === undefined) return text;
  const sign = value < 0 ? '-' : '';
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digits.replace(/[-.]/g, '')}`;
};

const written = /^(\d{1,15})(?:\.(\d{1,40}))?$/;

/**
 * Decimal digits, without sign or exponent, times 10^places as a whole number, half up; undefined for any other text.
 * Exact, since it stays text until the end.
 */
export const scaled = (text: string, places: 0 | 3): number | undefined => {
  const [whole, units, fraction = ''] = written.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kept = Number(`${units!}${fraction.slice(0, places).padEnd(places, '0')}`);
  return kept + (fraction.slice(places) >= '5' ? 1 : 0);
};

/** One step down: fields by name, lists by number, own properties alone, so that no path reaches into a prototype. */
const down = (value: unknown, step: PathStep): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) !== (typeof step === 'number')) return undefined;
  return Object.hasOwn(value, step) ? (value as Record<PathStep, unknown>)[step] : undefined;
};

/** Reads what stands at a path of an event; undefined where nothing does. Throws on a path the schema would refuse. */
export const fieldAt = (path: string): ((event: unknown) => unknown) => {
  const steps = pathSteps(path);
  if (!steps) throw new RangeError(`Not a path: ${JSON.stringify(path)}`);
  const [first, ...others] = steps;
  if (others.length === 0) return (event) => down(event, first!);
  return (event) => {
    let value = event;
    for (const step of steps) {
      value = down(value, step);
      if (value === undefined) return undefined;
    }
    return value;
  };
};

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
