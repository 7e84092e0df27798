import { type BusinessHours, DAYS } from '@popsvc/contracts/registry';
import { toLocalMs } from '@popsvc/contracts/time-zones';
import { joinSpans, type Span } from '../spans/index.ts';

/** In minutes since Monday 00:00, site time. The periods are sorted and do not overlap; `closes[i]` is not included. */
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

/** Splits a span that runs past the end of Sunday. */
const wrap = ({ from, to }: Span): Span[] =>
  to <= weekMinutes
    ? [{ from, to }]
    : [
        { from, to: weekMinutes },
        { from: 0, to: to - weekMinutes },
      ];

/**
 * A site without a schedule is always open. On a day that a schedule does not list, a site is open only while an opening of the day before
 * lasts.
 */
export const toWeeklyHours = (hours: BusinessHours | undefined): WeeklyHours => {
  if (!hours) return { opens: [0], closes: [weekMinutes] };
  const openings = DAYS.flatMap((day, index) =>
    (hours[day] ?? []).map((written) => openingOf(index * dayMinutes, written)),
  );
  const joined = joinSpans(openings.flatMap(wrap));
  return { opens: joined.map(({ from }) => from), closes: joined.map(({ to }) => to) };
};

const minuteMs = 60_000;
/** 1970 began on a Thursday. */
const firstMinute = 3 * dayMinutes;

const minuteOfWeek = (instantMs: number, zone: string): number => {
  const minute = (Math.floor(toLocalMs(instantMs, zone) / minuteMs) + firstMinute) % weekMinutes;
  return minute < 0 ? minute + weekMinutes : minute;
};

export const isOpen = ({ opens, closes }: WeeklyHours, instantMs: number, zone: string): boolean => {
  const now = minuteOfWeek(instantMs, zone);
  return opens.some((from, index) => from <= now && now < closes[index]!);
};

/** `minutes` must be less than a week. Assumes that no daylight saving change occurs in the period. */
export const isOpenDuring = (
  { opens, closes }: WeeklyHours,
  { fromMs, minutes }: { readonly fromMs: number; readonly minutes: number },
  zone: string,
): boolean => {
  const from = minuteOfWeek(fromMs, zone);
  return wrap({ from, to: from + minutes }).some((span) =>
    opens.some((opensAt, index) => opensAt < span.to && span.from < closes[index]!),
  );
};
