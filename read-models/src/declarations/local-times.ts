import { toLocalMs } from '@popsvc/contracts/time-zones';

/*
 * In SQL, `instant` is a DateTime64(3) and `zone` a text. SQL takes offsets from a dictionary, because the rules of ClickHouse itself
 * change only with its version.
 */

/**
 * The SQL throws if the zone is unknown. `database`: name of the dictionary's database, followed by a dot; default: the current database.
 */
const offsetSecondsSql = (instant: string, zone: string, database = ''): string =>
  `CAST(dictGetOrNull('${database}dict_time_zones', 'offset_seconds', tuple(${zone}), toUnixTimestamp64Milli(${instant})), 'Int64')`;

/** A DateTime64 that shows local time in the zone when it is read as UTC. */
export const clockSql = (instant: string, zone: string, database?: string): string =>
  `addSeconds(${instant}, ${offsetSecondsSql(instant, zone, database)})`;

export const localLabelSql = (format: string, instant: string, zone: string, database?: string): string =>
  `formatDateTime(${clockSql(instant, zone, database)}, '${format}', 'UTC')`;

export const offsetMinutesSql = (instant: string, zone: string): string =>
  `intDiv(${offsetSecondsSql(instant, zone)}, 60)`;

/** Minutes since Monday 00:00 of local time in a zone. */
export const minuteOfWeekSql = (instant: string, zone: string): string => {
  const at = clockSql(instant, zone);
  return `(toDayOfWeek(${at}, 0, 'UTC') - 1) * 1440 + toHour(${at}, 'UTC') * 60 + toMinute(${at}, 'UTC')`;
};

/** The SQL returns local time as `YYYY-MM-DDTHH:mm:ss.SSS`. */
export const localWithoutOffsetSql = (instant: string, zone: string): string =>
  localLabelSql('%Y-%m-%dT%H:%i:%S.%f', instant, zone);

/** The SQL returns local time as `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm`. */
export const localTimeSql = (instant: string, zone: string): string => {
  const seconds = offsetSecondsSql(instant, zone);
  const offset = `formatDateTime(toDateTime(abs(${seconds}), 'UTC'), '%H:%i', 'UTC')`;
  return `concat(${localWithoutOffsetSql(instant, zone)}, if(${seconds} < 0, '-', '+'), ${offset})`;
};

const [minuteMs, dayMs] = [60_000, 86_400_000];
const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const secondTexts = twoDigits.slice(0, 60).map((digits) => `${digits}.`);
const millisecondTexts = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

const dayNames = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'];

const maxRemembered = 1_000;

/** Creating a `Date` is slow, and the rows of a page have few different minutes. */
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

const dayTexts = remembered((day): Day => {
  const date = new Date(day * dayMs).toISOString().slice(0, 10);
  // 1 January 1970 was a Thursday.
  return { month: date.slice(0, 7), date, name: dayNames[((day % 7) + 7) % 7]! };
});

/** Returns `YYYY-MM-DDTHH:mm:` for a number of minutes since 1970. */
const minuteText = remembered((minute) => new Date(minute * minuteMs).toISOString().slice(0, 17));

const offsetText = remembered((offsetMs) => {
  const minutes = Math.floor(Math.abs(offsetMs) / minuteMs);
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits[Math.floor(minutes / 60)]!}:${twoDigits[minutes % 60]!}`;
});

const dayOf = (clockMs: number): Day => dayTexts(Math.floor(clockMs / dayMs));

const hourOf = (clockMs: number): string => minuteText(Math.floor(clockMs / minuteMs)).slice(11, 13);

const clockTime = (clockMs: number): string => {
  const minute = Math.floor(clockMs / minuteMs);
  const ms = clockMs - minute * minuteMs;
  return minuteText(minute) + secondTexts[Math.floor(ms / 1_000)]! + millisecondTexts[ms % 1_000]!;
};

/** Formats as `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm`, like `localTimeSql`. Throws if the zone is unknown. */
export const localTime = (instantMs: number, zone: string): string => {
  const clockMs = toLocalMs(instantMs, zone);
  return clockTime(clockMs) + offsetText(clockMs - instantMs);
};

export const utcTimeSql = (instant: string): string => `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC')`;

export const utcTime = (instantMs: number): string => `${clockTime(instantMs)}Z`;

/** `clockMs`: local time as if it were UTC, in ms since 1970. */
const labelFormats = {
  '%Y-%m': (clockMs: number) => dayOf(clockMs).month,
  '%Y-%m-%d': (clockMs: number) => dayOf(clockMs).date,
  '%H': hourOf,
  '%W': (clockMs: number) => dayOf(clockMs).name,
} as const;
export type LabelFormat = keyof typeof labelFormats;

export const localLabel = (format: LabelFormat, instantMs: number, zone: string): string =>
  labelFormats[format](toLocalMs(instantMs, zone));
