import { type BusinessHours, DAYS } from '@popsvc/contracts/registry';
import { toLocalTime } from '../labels/index.ts';
import { joinSpans, type Span } from '../spans/index.ts';

/** Opening times in minutes since Monday 00:00 on the site's wall clock: half-open, sorted, joined; equally many of both. */
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

/** Sunday's late hours belong to Monday's small ones. */
const wrap = ({ from, to }: Span): Span[] =>
  to <= weekMinutes
    ? [{ from, to }]
    : [
        { from, to: weekMinutes },
        { from: 0, to: to - weekMinutes },
      ];

/** A weekly schedule as minutes. No schedule at all: always open; a schedule without a day: closed on it. */
export const toWeeklyHours = (hours: BusinessHours | undefined): WeeklyHours => {
  if (!hours) return { opens: [0], closes: [weekMinutes] };
  const openings = DAYS.flatMap((day, index) =>
    (hours[day] ?? []).map((written) => openingOf(index * dayMinutes, written)),
  );
  const joined = joinSpans(openings.flatMap(wrap));
  return { opens: joined.map(({ from }) => from), closes: joined.map(({ to }) => to) };
};

export const isOpen = ({ opens, closes }: WeeklyHours, instantMs: number, zone: string): boolean => {
  const { weekday, hour, minute } = toLocalTime(instantMs, zone);
  const now = (weekday - 1) * dayMinutes + hour * 60 + minute;
  return opens.some((from, index) => from <= now && now < closes[index]!);
};
