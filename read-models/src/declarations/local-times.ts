import { toLocalMs } from '@popsvc/contracts/time-zones';

/*
 * Local times, in SQL and in Node.js. In SQL, `instant` is a DateTime64(3) and `zone` a text; in Node.js, an instant is ms since 1970.
 *
 * SQL takes the offsets of zones from a dictionary (../time-zones), because the rules in ClickHouse itself cannot be updated. Both forms
 * throw if the zone is unknown. Stored rows have no unknown zones, because projections reject them.
 */

/**
 * Seconds that local time in a zone is ahead of UTC. `database`: the name of the dictionary's database, followed by a dot; default: the
 * current database.
 */
const offsetSecondsSql = (instant: string, zone: string, database = ''): string =>
  `CAST(dictGetOrNull('${database}dict_time_zones', 'offset_seconds', tuple(${zone}), toUnixTimestamp64Milli(${instant})), 'Int64')`;

/** A DateTime64 that shows local time in the zone when it is read as UTC. */
export const clockSql = (instant: string, zone: string, database?: string): string =>
  `addSeconds(${instant}, ${offsetSecondsSql(instant, zone, database)})`;

export const localLabelSql = (format: string, instant: string, zone: string, database?: string): string =>
  `formatDateTime(${clockSql(instant, zone, database)}, '${format}', 'UTC')`;

/** Minutes that local time in a zone is ahead of UTC. */
export const offsetMinutesSql = (instant: string, zone: string): string =>
  `intDiv(${offsetSecondsSql(instant, zone)}, 60)`;

/** Minutes since Monday 00:00 of local time in a zone. */
export const minuteOfWeekSql = (instant: string, zone: string): string => {
  const at = clockSql(instant, zone);
  return `(toDayOfWeek(${at}, 0, 'UTC') - 1) * 1440 + toHour(${at}, 'UTC') * 60 + toMinute(${at}, 'UTC')`;
};

/** Formats local time in a zone without the offset: `YYYY-MM-DDTHH:mm:ss.SSS`. */
export const localWithoutOffsetSql = (instant: string, zone: string): string =>
  localLabelSql('%Y-%m-%dT%H:%i:%S.%f', instant, zone);

/** Formats local time in a zone with the offset: `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm`. */
export const localTimeSql = (instant: string, zone: string): string => {
  const seconds = offsetSecondsSql(instant, zone);
  const offset = `formatDateTime(toDateTime(abs(${seconds}), 'UTC'), '%H:%i', 'UTC')`;
  return `concat(${localWithoutOffsetSql(instant, zone)}, if(${seconds} < 0, '-', '+'), ${offset})`;
};

const [minuteMs, dayMs] = [60_000, 86_400_000];
const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
/** Seconds within a time, such as `07.`. */
const secondTexts = twoDigits.slice(0, 60).map((digits) => `${digits}.`);
/** Milliseconds at the end of a time, such as `250`. */
const millisecondTexts = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

const dayNames = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'];

const maxRemembered = 1_000;

/**
 * Caches the results of `format`, because creating a `Date` is slow and the rows of a page have few different minutes. Drops all results
 * when there are `maxRemembered`.
 */
const remembered = <Text>(format: (number: number) => Text): ((number: number) => Text) => {
  const known = new Map<number, Text>();
  return (number) => {
    const found = known.get(number);
    if (found !== undefined) return found;
    const made = format(number);
    if (known.size >= maxRemembered) known.clear();
    known.set(number, made);
    return made;
  };
};

interface Day {
  readonly month: string;
  readonly date: string;
  readonly name: string;
}

/** Month, date and weekday of a day, by its number since 1970. */
const dayTexts = remembered((day): Day => {
  const date = new Date(day * dayMs).toISOString().slice(0, 10);
  // 1 January 1970 was a Thursday.
  return { month: date.slice(0, 7), date, name: dayNames[((day % 7) + 7) % 7]! };
});

/** `YYYY-MM-DDTHH:mm:` of a minute, by its number since 1970. */
const minuteText = remembered((minute) => new Date(minute * minuteMs).toISOString().slice(0, 17));

/** `±hh:mm` of an offset from UTC in ms. */
const offsetText = remembered((offsetMs) => {
  const minutes = Math.floor(Math.abs(offsetMs) / minuteMs);
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits[Math.floor(minutes / 60)]!}:${twoDigits[minutes % 60]!}`;
});

const dayOf = (clockMs: number): Day => dayTexts(Math.floor(clockMs / dayMs));

/** The hour of `clockMs`, read as a time in UTC: `00` to `23`. */
const hourOf = (clockMs: number): string => minuteText(Math.floor(clockMs / minuteMs)).slice(11, 13);

/** Formats `clockMs`, read as a time in UTC: `YYYY-MM-DDTHH:mm:ss.SSS`. */
const clockTime = (clockMs: number): string => {
  const minute = Math.floor(clockMs / minuteMs);
  const ms = clockMs - minute * minuteMs;
  return minuteText(minute) + secondTexts[Math.floor(ms / 1_000)]! + millisecondTexts[ms % 1_000]!;
};

/** Formats local time in a zone as `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm`, like `localTimeSql`. */
export const localTime = (instantMs: number, zone: string): string => {
  const clockMs = toLocalMs(instantMs, zone);
  return clockTime(clockMs) + offsetText(clockMs - instantMs);
};

/** Formats a time in UTC, such as `2026-08-20T14:07:30.250Z`. */
export const utcTimeSql = (instant: string): string => `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC')`;

/** Formats a time in UTC like `utcTimeSql`, such as `2026-08-20T14:07:30.250Z`. */
export const utcTime = (instantMs: number): string => `${clockTime(instantMs)}Z`;

/** Functions for the formats of ClickHouse's `formatDateTime` that columns use. `clockMs`: local time as if it were UTC, ms since 1970. */
const labelFormats = {
  '%Y-%m': (clockMs: number) => dayOf(clockMs).month,
  '%Y-%m-%d': (clockMs: number) => dayOf(clockMs).date,
  '%H': hourOf,
  '%W': (clockMs: number) => dayOf(clockMs).name,
} as const;
export type LabelFormat = keyof typeof labelFormats;

/** Formats local time in a zone. `format`: a format of ClickHouse's `formatDateTime`. */
export const localLabel = (format: LabelFormat, instantMs: number, zone: string): string =>
  labelFormats[format](toLocalMs(instantMs, zone));
