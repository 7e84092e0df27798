import { createHash } from 'node:crypto';
import { parseInstant } from '../instants.ts';
import type { Play } from '../types.ts';

/** Converts an ISO 8601 time with `Z` or a UTC offset to UTC with milliseconds and `Z`. Throws a TypeError for any other text. */
const toUtc = (text: string): string => {
  const ms = parseInstant(text);
  if (ms === undefined) throw new TypeError('playedAt must be an ISO 8601 timestamp with Z or an offset');
  return new Date(ms).toISOString();
};

/** Formats a JSON value by RFC 8785. Fields that are undefined are left out, as in the request. */
const toCanonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => toCanonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    // The operator `<` compares UTF-16 code units, as RFC 8785 requires.
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toCanonicalJson(field)}`).join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is not a number of JSON`);
  return JSON.stringify(value);
};

const withoutNulls = <Value extends object>(value: Value, fields: readonly string[]): Value =>
  Object.fromEntries(
    Object.entries(value).filter(([name, field]) => field !== null || !fields.includes(name)),
  ) as Value;

/** Leaves out optional fields that are null, as the service does. In `context` and `device`, null is part of the content and stays. */
const withoutOptionalNulls = (play: Play): Play => {
  const { impressions, ...rest } = withoutNulls(play, Object.keys(play));
  if (!impressions) return rest;
  const { ageBuckets, ...other } = withoutNulls(impressions, ['ageBuckets']);
  return {
    ...rest,
    impressions: { ...other, ...(ageBuckets && { ageBuckets: withoutNulls(ageBuckets, ['total', 'male', 'female']) }) },
  };
};

/**
 * Returns the hash that `reconcile` compares: the SHA-256, as hexadecimal digits, of the play as RFC 8785 JSON with `playedAt` in UTC
 * with milliseconds.
 */
export const contentHash = (play: Play): string =>
  createHash('sha256')
    .update(toCanonicalJson({ ...withoutOptionalNulls(play), playedAt: toUtc(play.playedAt) }))
    .digest('hex');
