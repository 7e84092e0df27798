import { toLocalMs } from '@popsvc/contracts/time-zones';

/*
 * Local times, in SQL and in Node.js. SQL takes the offsets from the dictionary of time zones (../time-zones), and no expression names a
 * zone other than UTC: ClickHouse contains rules of its own, which cannot be updated. In SQL, `instant` is a DateTime64(3) and `zone` a
 * text; in Node.js, an instant is ms since 1970. Both throw if the zone is unknown: the projections park events with unknown zones.
 */

/** Seconds that local time in a zone is ahead of UTC. `database`: that of the dictionary, with a dot; default: the current one. */
const offsetSecondsSql = (instant: string, zone: string, database = ''): string =>
  `CAST(dictGetOrNull('${database}dict_time_zones', 'offset_seconds', tuple(${zone}), toUnixTimestamp64Milli(${instant})), 'Int64')`;

/** The time that a clock in UTC shows when local time is the same: its parts are those of local time. */
export const clockSql = (instant: string, zone: string, database?: string): string =>
  `addSeconds(${instant}, ${offsetSecondsSql(instant, zone, database)})`;

/** Formats local time in a zone. */
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

const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

const dayNames = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'];

interface Day {
  readonly startMs: number;
  readonly month: string;
  readonly date: string;
  readonly name: string;
}

const formatDay = (day: number): Day => {
  const startMs = day * dayMs;
  const date = new Date(startMs).toISOString().slice(0, 10);
  // 1 January 1970 was a Thursday.
  return { startMs, month: date.slice(0, 7), date, name: dayNames[((day % 7) + 7) % 7]! };
};

const maxDays = 1_000;
/** Days by their number since 1970: a `Date` for each time took a tenth of the CPU time of a page in Node.js. */
const days = new Map<number, Day>();

/** The day of a time of a clock in UTC. */
const dayOf = (clockMs: number): Day => {
  const number = Math.floor(clockMs / dayMs);
  const known = days.get(number);
  if (known) return known;
  const day = formatDay(number);
  if (days.size >= maxDays) days.clear();
  days.set(number, day);
  return day;
};

/** The hour of a time of a clock in UTC, `00` to `23`. */
const hourOf = (clockMs: number): string => twoDigits[Math.floor((clockMs - dayOf(clockMs).startMs) / 3_600_000)]!;

/** Formats a time of a clock in UTC: `YYYY-MM-DDTHH:mm:ss.SSS`. */
const clockTime = (clockMs: number): string => {
  const { startMs, date } = dayOf(clockMs);
  const ms = clockMs - startMs;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hour = twoDigits[Math.floor(minutes / 60)]!;
  const rest = ms % 1_000;
  const fraction = `${Math.floor(rest / 100)}${twoDigits[rest % 100]!}`;
  return `${date}T${hour}:${twoDigits[minutes % 60]!}:${twoDigits[seconds % 60]!}.${fraction}`;
};

const formatOffset = (offsetMs: number): string => {
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits[Math.floor(minutes / 60)]!}:${twoDigits[minutes % 60]!}`;
};

/** Like `localTimeSql`. */
export const localTime = (instantMs: number, zone: string): string => {
  const clockMs = toLocalMs(instantMs, zone);
  return clockTime(clockMs) + formatOffset(clockMs - instantMs);
};

/** Formats a time in UTC, with `Z`. */
export const utcTimeSql = (instant: string): string => `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC')`;

/** Like `utcTimeSql`. */
export const utcTime = (instantMs: number): string => `${clockTime(instantMs)}Z`;

/** The formats of ClickHouse's `formatDateTime` that columns use, as functions of a clock in UTC. */
const labelFormats = {
  '%Y-%m': (clockMs: number) => dayOf(clockMs).month,
  '%Y-%m-%d': (clockMs: number) => dayOf(clockMs).date,
  '%H': hourOf,
  '%W': (clockMs: number) => dayOf(clockMs).name,
} as const;
export type LabelFormat = keyof typeof labelFormats;

/** Like `localLabelSql`. */
export const localLabel = (format: LabelFormat, instantMs: number, zone: string): string =>
  labelFormats[format](toLocalMs(instantMs, zone));
