import { nullable, type NullableSql } from './dataset.ts';

/** Pieces of SQL that the columns share. Zones differ by row, so the reading profile allows them as arguments. */

/** `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm` of an instant in a zone. */
export const local = (instant: string, zone: string): string => {
  const written = `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%f%z', ${zone})`;
  return `concat(left(${written}, 26), ':', right(${written}, 2))`;
};

export const locals = (instants: string, zone: string): string => `arrayMap(t -> ${local('t', zone)}, ${instants})`;

export const utc = (instant: string): string => `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC')`;

export const label = (format: string, instant: string, zone: string): string =>
  `formatDateTime(${instant}, '${format}', ${zone})`;

/** `14:00-15:00`; the last of the day ends at 24:00. */
export const hourRange = (instant: string, zone: string): string =>
  `concat(${label('%H', instant, zone)}, ':00-', leftPad(toString(toUInt8(${label('%H', instant, zone)}) + 1), 2, '0'), ':00')`;

/** An attribute of a dictionary; null when the key is not in it. */
export const dictionaryValue = (dictionary: string, attribute: string, key: string): NullableSql =>
  nullable(`dictGetOrNull('dict_${dictionary}', '${attribute}', ${key})`);

/** The first of the values that is not null. */
export const firstKnown = (...values: readonly NullableSql[]): NullableSql =>
  nullable(`coalesce(${values.map((value) => value.nullable).join(', ')})`);

/** An id; null when it is 0. */
export const knownId = (id: string): NullableSql => nullable(`nullIf(${id}, 0)`);

/** A text; null when it is empty. */
export const knownText = (text: string): NullableSql => nullable(`nullIf(toString(${text}), '')`);
export const seconds = (milliseconds: string): string => `(${milliseconds}) / 1000`;

/** round(100 × part / whole), half up; 0 when there is no whole. */
export const percent = (part: string, whole: string): string =>
  `if(${whole} = 0, 0, intDiv(200 * ${part} + ${whole}, 2 * ${whole}))`;
