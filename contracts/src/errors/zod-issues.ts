import type { z } from 'zod';
import type { ApiErrorDetail } from './api-error.ts';

const maxCharacters = 60;

const kindOf = (value: object): string => (Array.isArray(value) ? 'a list' : 'an object');

/** Formats a value for a message, on one line: at most 60 characters of a string, and only the kind of a list or an object. */
export const shortenValue = (value: unknown): string => {
  if (typeof value === 'object' && value !== null) return kindOf(value);
  if (typeof value !== 'string') return String(value);
  if (value.length <= maxCharacters) return JSON.stringify(value);
  // The cut may leave the first half of a surrogate pair.
  const shown = value.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '');
  return JSON.stringify(`${shown}…`);
};

type Issue = z.core.$ZodIssue;

export const maxErrorDetails = 100;
const longestPath = 200;

const pathText = (path: readonly PropertyKey[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');

/** JSON parsing rounds integers beyond 2^53 and turns numbers beyond the range of a double into Infinity. */
const mayBeRounded = (value: unknown): boolean =>
  typeof value === 'number' && (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value));

const detail = (path: string, message: string, sent?: unknown): ApiErrorDetail => ({
  path: path.replace(/^\./, '').slice(0, longestPath),
  message,
  ...(sent !== undefined && !mayBeRounded(sent) && { value: shortenValue(sent) }),
});

const valueAt = (sent: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    sent,
  );

const detailsOf = (issue: Issue, at: string, sent: unknown): ApiErrorDetail[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys
        .slice(0, maxErrorDetails)
        .map((key) =>
          detail(`${at}${pathText(issue.path)}.${key}`, 'is not a known field', valueAt(sent, [...issue.path, key])),
        )
    : [detail(at + pathText(issue.path), issue.message, valueAt(sent, issue.path))];

/** A strict object schema of zod would be slower, because it copies all fields. */
export const findUnknownFields = (value: object, known: ReadonlySet<string>, at = ''): ApiErrorDetail[] => {
  const details: ApiErrorDetail[] = [];
  for (const key in value) {
    if (known.has(key)) continue;
    if (details.push(detail(`${at}.${key}`, 'is not a known field')) === maxErrorDetails) break;
  }
  return details;
};

/** With `sent`, the validated value, the details quote invalid values: never pass a value that may be secret. */
export const toErrorDetails = (issues: readonly Issue[], at = '', sent?: unknown): ApiErrorDetail[] =>
  issues.slice(0, maxErrorDetails).flatMap((issue) => detailsOf(issue, at, sent));

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

const bound = (side: string, origin: string, limit: number | bigint): string => {
  const unit = units[origin];
  if (unit === undefined) return `must be ${side} ${limit}`;
  return `must ${origin === 'array' ? 'hold' : 'have'} ${side} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
};

export const describeZodIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'unrecognized_keys':
      return 'has unknown fields';
    case 'invalid_union':
      return 'is of a type that is not accepted';
    case 'invalid_type':
      return kinds[issue.expected] && `must be ${kinds[issue.expected]}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.inclusive === false ? undefined : bound('at least', issue.origin, issue.minimum);
    case 'too_big':
      return issue.inclusive === false ? undefined : bound('at most', issue.origin, issue.maximum);
    default:
      return undefined;
  }
};
