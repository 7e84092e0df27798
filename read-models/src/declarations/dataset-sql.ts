import { nullable, type NullableSql } from './dataset.ts';

/*
 * SQL expressions that several columns use. The time zone differs from row to row, so queries must set
 * allow_nonconst_timezone_arguments.
 */

/** Formats a time as local time in a zone, with the UTC offset: `YYYY-MM-DDTHH:mm:ss.SSS±hhmm`. */
export const written = (instant: string, zone: string): string =>
  `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%f%z', ${zone})`;

/** The same with a colon in the offset: `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm`. */
export const local = (instant: string, zone: string): string =>
  `concat(left(${written(instant, zone)}, 26), ':', right(${written(instant, zone)}, 2))`;

export const locals = (instants: string, zone: string): string => `arrayMap(t -> ${local('t', zone)}, ${instants})`;

export const utc = (instant: string): string => `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC')`;

export const label = (format: string, instant: string, zone: string): string =>
  `formatDateTime(${instant}, '${format}', ${zone})`;

/** Formats the hour that contains a time as a range such as `14:00-15:00`; the last hour of the day ends at 24:00. */
export const hourRange = (instant: string, zone: string): string =>
  `concat(${label('%H', instant, zone)}, ':00-', leftPad(toString(toUInt8(${label('%H', instant, zone)}) + 1), 2, '0'), ':00')`;

/** Returns an attribute of a dictionary, or null when the dictionary does not contain the key. */
export const dictionaryValue = (dictionary: string, attribute: string, key: string): NullableSql =>
  nullable(`dictGetOrNull('dict_${dictionary}', '${attribute}', ${key})`);

/** Returns the first value that is not null. */
export const firstKnown = (...values: readonly NullableSql[]): NullableSql =>
  nullable(`coalesce(${values.map((value) => value.nullable).join(', ')})`);

/** Returns an id, or null when the id is 0, which means unknown. */
export const knownId = (id: string): NullableSql => nullable(`nullIf(${id}, 0)`);

/** Returns a text, or null when the text is empty. */
export const knownText = (text: string): NullableSql => nullable(`nullIf(toString(${text}), '')`);
export const seconds = (milliseconds: string): string => `(${milliseconds}) / 1000`;

/** Builds the SQL for round(100 × part / whole), rounded half up, in integer arithmetic; 0 if `whole` is 0. */
export const percent = (part: string, whole: string): string =>
  `if(${whole} = 0, 0, intDiv(200 * ${part} + ${whole}, 2 * ${whole}))`;
