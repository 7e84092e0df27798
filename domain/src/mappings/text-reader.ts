import { shortenValue } from '@popsvc/contracts/errors';
import {
  type DurationSource,
  type PathStep,
  pathSteps,
  type TextSource,
  type TimeSource,
} from '@popsvc/contracts/mappings';
import { Trouble } from './mapping-result.ts';

/**
 * Returns undefined if the absolute value exceeds 2^53 - 1: JSON parsing may have rounded such an id, which could turn two ids into one.
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

/** Multiplies decimal text by 10^places, rounded half up. A floating-point multiplication could change the last digits. */
export const scaled = (text: string, places: 0 | 3): number | undefined => {
  const [whole, units, fraction = ''] = written.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kept = Number(`${units!}${fraction.slice(0, places).padEnd(places, '0')}`);
  return kept + (fraction.slice(places) >= '5' ? 1 : 0);
};

/** Reads only own properties, so a path in a mapping cannot reach a prototype. */
const down = (value: unknown, step: PathStep): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) !== (typeof step === 'number')) return undefined;
  return Object.hasOwn(value, step) ? (value as Record<PathStep, unknown>)[step] : undefined;
};

/** Throws a RangeError for an invalid path. */
export const fieldAt = (path: string): ((event: unknown) => unknown) => {
  const steps = pathSteps(path);
  if (!steps) throw new RangeError(`invalid field path ${JSON.stringify(path)}`);
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

/** Undefined means that the field is absent, and a Trouble that the field cannot be used. */
export type Reader<Value> = (event: unknown) => Value | undefined | Trouble;

const textOf = (value: unknown, at: string): string | undefined | Trouble => {
  if (typeof value === 'string') return value.trim() || undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number')
    return new Trouble('unparsable', `${at}: is ${shortenValue(value)}, not a single value`);
  return (
    decimal(value) ??
    new Trouble('unparsable', `${at}: ${shortenValue(value)} has lost digits; it must be sent as text`)
  );
};

export const placeOf = (target: string, { path }: { readonly path?: string | undefined }): string =>
  path === undefined || path === target ? target : `${target} (${path})`;

type Source = TextSource | TimeSource | DurationSource;

const asText = (constant: string | number | boolean | undefined, at: string): string | undefined => {
  const text = textOf(constant, at);
  return typeof text === 'string' ? text : undefined;
};

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
    // A value that the map replaces with blank text counts as absent.
    return map?.has(sent) ? (map.get(sent) ?? whenAbsent) : sent;
  };
};
