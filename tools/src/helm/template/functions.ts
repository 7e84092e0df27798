import { stringify } from 'yaml';
import { isMap, isTrue, printValue, typeOf, type Value } from './values.ts';

/** A function of templates: its number of arguments, and what it computes. Errors are given a position by the caller. */
export interface TemplateFunction {
  readonly min: number;
  readonly max: number;
  readonly call: (...args: readonly Value[]) => Value;
}

const requireString = (value: Value, name: string): string => {
  if (typeof value !== 'string') throw new Error(`${name} needs a string, not ${typeOf(value)}`);
  return value;
};

const requireCount = (value: Value, name: string): number => {
  if (typeof value !== 'bigint' || value < 0n) throw new Error(`${name} needs a number that the template contains`);
  return Number(value);
};

/** Go compares values of the same basic type only. */
const isEqual = (one: Value, other: Value): boolean => {
  const isBasic = typeof one === 'string' || typeof one === 'boolean' || typeof one === 'bigint';
  if (!isBasic || typeof other !== typeof one)
    throw new Error(`cannot compare ${typeOf(one)} with ${typeOf(other)}; use strings, booleans, or int64`);
  return one === other;
};

/** `%s` for strings, `%d` for integers, and `%%`. */
const printf = (format: string, args: readonly Value[]): string => {
  const left = [...args];
  const text = format.replace(/%(.?)/g, (_, verb: string) => {
    if (verb === '%') return '%';
    if (verb !== 's' && verb !== 'd') throw new Error(`printf does not support %${verb}`);
    if (left.length === 0) throw new Error('printf has fewer arguments than verbs');
    const value = left.shift();
    if (verb === 's' && typeof value === 'string') return value;
    if (verb === 'd' && typeof value === 'bigint') return value.toString();
    throw new Error(`printf cannot format ${typeOf(value)} with %${verb}`);
  });
  if (left.length > 0) throw new Error('printf has more arguments than verbs');
  return text;
};

/** Go quotes text like JSON, except for control characters, which no manifest needs. */
const quote = (text: string): string => {
  if (/[^\P{Cc}\n\t\r]/u.test(text)) throw new Error('quote does not support control characters');
  return JSON.stringify(text);
};

const indent = (width: number, text: string): string => {
  const pad = ' '.repeat(width);
  return pad + text.replaceAll('\n', `\n${pad}`);
};

/** Integers of at most 2^53 are printed like numbers, so both become numbers. */
const toPlain = (value: Value): unknown => {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toPlain(one)]));
  if (typeof value === 'object' && value !== null) throw new Error(`toYaml does not support ${typeOf(value)}`);
  return value;
};

/** YAML with sorted keys. Strings are quoted where YAML 1.1, which Kubernetes reads, has another meaning for them. */
const toYaml = (value: Value): string =>
  stringify(toPlain(value), {
    version: '1.1',
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  }).trimEnd();

const toInteger = (value: Value): bigint => {
  if (value === undefined || value === null) return 0n;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw new Error(`int64 needs a whole number, not ${typeOf(value)}`);
};

const dict = (entries: readonly Value[]): Value => {
  if (entries.length % 2 !== 0) throw new Error('dict needs a value for each name');
  const pairs = entries.flatMap((name, index) =>
    index % 2 === 0 ? [[requireString(name, 'dict'), entries[index + 1]] as const] : [],
  );
  return Object.fromEntries(pairs);
};

const failWith = (message: Value): never => {
  throw new Error(requireString(message, 'fail'));
};

const required = (message: Value, value: Value): Value => {
  if (value === undefined || value === null || value === '') throw new Error(requireString(message, 'required'));
  return value;
};

/** Text without what is beyond `length` characters. Sprig cuts bytes, which is the same for ASCII. */
const truncate = (length: number, text: string): string => {
  if (/[^\p{ASCII}]/u.test(text)) throw new Error('trunc supports ASCII only');
  return text.slice(0, length);
};

const any = Number.POSITIVE_INFINITY;
const define = (min: number, max: number, call: TemplateFunction['call']): TemplateFunction => ({ min, max, call });
const text = requireString;

/**
 * The functions of Go's templates, Sprig and Helm that the chart uses, with the same names, arguments and results. `and`, `or` and
 * `include` are part of the evaluation.
 */
export const functions: ReadonlyMap<string, TemplateFunction> = new Map([
  ['not', define(1, 1, (value) => !isTrue(value))],
  ['eq', define(2, any, (first, ...others) => others.some((other) => isEqual(first, other)))],
  ['ne', define(2, 2, (one, other) => !isEqual(one, other))],
  ['printf', define(1, any, (format, ...args) => printf(text(format, 'printf'), args))],
  ['default', define(2, 2, (standard, value) => (isTrue(value) ? value : standard))],
  ['required', define(2, 2, required)],
  ['fail', define(1, 1, failWith)],
  ['quote', define(1, 1, (value) => quote(printValue(value)))],
  ['indent', define(2, 2, (width, value) => indent(requireCount(width, 'indent'), text(value, 'indent')))],
  ['nindent', define(2, 2, (width, value) => `\n${indent(requireCount(width, 'nindent'), text(value, 'nindent'))}`)],
  ['toYaml', define(1, 1, toYaml)],
  ['int64', define(1, 1, toInteger)],
  ['list', define(0, any, (...items) => items)],
  ['dict', define(0, any, (...entries) => dict(entries))],
  ['join', define(2, 2, (separator, items) => join(text(separator, 'join'), items))],
  ['contains', define(2, 2, (part, whole) => text(whole, 'contains').includes(text(part, 'contains')))],
  [
    'replace',
    define(3, 3, (from, to, whole) =>
      text(whole, 'replace').replaceAll(text(from, 'replace'), () => text(to, 'replace')),
    ),
  ],
  ['trunc', define(2, 2, (length, whole) => truncate(requireCount(length, 'trunc'), text(whole, 'trunc')))],
  ['trimSuffix', define(2, 2, (suffix, whole) => trimSuffix(text(suffix, 'trimSuffix'), text(whole, 'trimSuffix')))],
]);

const join = (separator: string, items: Value): string => {
  if (!Array.isArray(items)) throw new Error(`join needs a list, not ${typeOf(items)}`);
  return (items as readonly Value[]).map(printValue).join(separator);
};

const trimSuffix = (suffix: string, whole: string): string =>
  suffix !== '' && whole.endsWith(suffix) ? whole.slice(0, -suffix.length) : whole;
