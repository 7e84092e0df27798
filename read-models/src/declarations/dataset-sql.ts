import { nullable, type NullableSql } from './dataset.ts';

/*
 * SQL expressions that several columns use. `instant` is a DateTime64(3). Local times come from the dictionary of time zones
 * (../time-zones), and no expression names a zone other than UTC: ClickHouse contains rules of its own, which cannot be updated.
 */

/**
 * Seconds that local time in a zone is ahead of UTC. Throws if the dictionary does not contain the zone: the projections park events
 * with unknown zones. `database`: that of the dictionary, with a dot; default: the current one.
 */
const offsetSeconds = (instant: string, zone: string, database = ''): string =>
  `CAST(dictGetOrNull('${database}dict_time_zones', 'offset_seconds', tuple(${zone}), toUnixTimestamp64Milli(${instant})), 'Int64')`;

/** The time that a clock in UTC shows when local time is the same: its parts are those of local time. */
export const clock = (instant: string, zone: string, database?: string): string =>
  `addSeconds(${instant}, ${offsetSeconds(instant, zone, database)})`;

/** Formats local time in a zone. */
export const label = (format: string, instant: string, zone: string, database?: string): string =>
  `formatDateTime(${clock(instant, zone, database)}, '${format}', 'UTC')`;

/** Formats a time as local time in a zone, without the offset: `YYYY-MM-DDTHH:mm:ss.SSS`. */
export const localWithoutOffset = (instant: string, zone: string): string =>
  label('%Y-%m-%dT%H:%i:%S.%f', instant, zone);

/** Minutes that local time in a zone is ahead of UTC. */
export const offsetMinutes = (instant: string, zone: string): string => `intDiv(${offsetSeconds(instant, zone)}, 60)`;

/** Formats a time as local time in a zone, with the UTC offset: `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm`. */
export const local = (instant: string, zone: string): string => {
  const seconds = offsetSeconds(instant, zone);
  const offset = `formatDateTime(toDateTime(abs(${seconds}), 'UTC'), '%H:%i', 'UTC')`;
  return `concat(${localWithoutOffset(instant, zone)}, if(${seconds} < 0, '-', '+'), ${offset})`;
};

/** Minutes since Monday 00:00 of local time in a zone. */
export const minuteOfWeek = (instant: string, zone: string): string => {
  const at = clock(instant, zone);
  return `(toDayOfWeek(${at}, 0, 'UTC') - 1) * 1440 + toHour(${at}, 'UTC') * 60 + toMinute(${at}, 'UTC')`;
};

export const locals = (instants: string, zone: string): string => `arrayMap(t -> ${local('t', zone)}, ${instants})`;

export const utc = (instant: string): string => `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC')`;

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
