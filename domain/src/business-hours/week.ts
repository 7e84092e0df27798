import { type BusinessHours, DAYS } from '@popsvc/contracts/registry';
import { DateTime } from 'luxon';
import { joinSpans, type Span } from '../spans/index.ts';

/**
 * Opening and closing times of a week in minutes since Monday 00:00, site time: half-open intervals, sorted, without overlaps.
 * Both lists have the same length.
 */
export interface WeeklyHours {
  readonly opens: number[];
  readonly closes: number[];
}

const dayMinutes = 1_440;
const weekMinutes = 7 * dayMinutes;

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

const openingOf = (midnight: number, written: string): Span => {
  const [start, end] = written.split('-').map(minuteOf) as [number, number];
  return { from: midnight + start, to: midnight + (end > start ? end : end + dayMinutes) };
};

/** Splits an interval that runs past Sunday midnight; its rest begins on Monday 00:00. */
const wrap = ({ from, to }: Span): Span[] =>
  to <= weekMinutes
    ? [{ from, to }]
    : [
        { from, to: weekMinutes },
        { from: 0, to: to - weekMinutes },
      ];

/** Converts a weekly schedule to minutes. Without a schedule a site is always open; on a missing day it is closed. */
export const toWeeklyHours = (hours: BusinessHours | undefined): WeeklyHours => {
  if (!hours) return { opens: [0], closes: [weekMinutes] };
  const openings = DAYS.flatMap((day, index) =>
    (hours[day] ?? []).map((written) => openingOf(index * dayMinutes, written)),
  );
  const joined = joinSpans(openings.flatMap(wrap));
  return { opens: joined.map(({ from }) => from), closes: joined.map(({ to }) => to) };
};

/** The wall-clock time of an instant in an IANA zone. Throws a RangeError on an unknown zone. */
export const toLocalTime = (instantMs: number, zone: string): DateTime<true> => {
  const local = DateTime.fromMillis(instantMs, { zone, locale: 'en-US' });
  if (!local.isValid) throw new RangeError(`No wall clock for ${instantMs} in the zone ${JSON.stringify(zone)}`);
  return local;
};

export const isOpen = ({ opens, closes }: WeeklyHours, instantMs: number, zone: string): boolean => {
  const { weekday, hour, minute } = toLocalTime(instantMs, zone);
  const now = (weekday - 1) * dayMinutes + hour * 60 + minute;
  return opens.some((from, index) => from <= now && now < closes[index]!);
};
