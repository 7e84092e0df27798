import { z } from 'zod';

const zero = 48;
const [minuteMs, hourMs] = [60_000, 3_600_000];
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const mostOffsetHours = 18;

const digits = (text: string, from: number, count: number): number => {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
};

const daysIn = (year: number, month: number): number =>
  month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : (monthDays[month - 1] ?? 0);

/** Parses the date at the beginning of a string: ms since 1970 of its midnight in UTC, or NaN. */
const dayMs = (text: string): number => {
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  if (text[4] !== '-' || text[7] !== '-' || !(day >= 1 && day <= daysIn(year, month))) return Number.NaN;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999. The calendar repeats every 400 years.
  return year < 100
    ? Date.UTC(year + 400, month - 1, day) - Date.UTC(2000, 0, 1) + Date.UTC(1600, 0, 1)
    : Date.UTC(year, month - 1, day);
};

const digitsAt = (text: string, from: number): number => {
  let count = 0;
  while (count < 10 && digits(text, from + count, 1) >= 0) count++;
  return count;
};

const offsetMs = (text: string, at: number): number => {
  const sign = text[at];
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : Number.NaN;
  if (sign !== '+' && sign !== '-') return Number.NaN;
  const minutesAt = text[at + 3] === ':' ? at + 4 : at + 3;
  const [hours, minutes] = [digits(text, at + 1, 2), digits(text, minutesAt, 2)];
  if (text.length !== minutesAt + 2 || !(hours <= mostOffsetHours && minutes <= 59)) return Number.NaN;
  return (hours * hourMs + minutes * minuteMs) * (sign === '-' ? -1 : 1);
};

/** Returns ms since 1970, and cuts off digits beyond the millisecond. A regular expression would be much slower. */
export const instantMs = (text: string): number | undefined => {
  const [hour, minute] = [digits(text, 11, 2), digits(text, 14, 2)];
  if ((text[10] !== 'T' && text[10] !== 't') || text[13] !== ':' || !(hour <= 23 && minute <= 59)) return undefined;
  let [at, second, millis] = [16, 0, 0];
  if (text[at] === ':') {
    second = digits(text, 17, 2);
    if (!(second <= 59)) return undefined;
    at = 19;
    if (text[at] === '.' || text[at] === ',') {
      const count = digitsAt(text, at + 1);
      if (count < 1 || count > 9) return undefined;
      millis = digits(text, at + 1, Math.min(count, 3)) * 10 ** Math.max(0, 3 - count);
      at += 1 + count;
    }
  }
  const ms = dayMs(text) + hour * hourMs + minute * minuteMs + second * 1_000 + millis - offsetMs(text, at);
  return Number.isNaN(ms) ? undefined : ms;
};

/** Returns the canonical form of a timestamp: UTC with milliseconds and Z. */
export const instantOf = (ms: number): string => new Date(ms).toISOString();

/** Validates the text, but does not change it. */
export const InstantText = z
  .string()
  .max(40)
  .refine((text) => instantMs(text) !== undefined, 'must be an ISO 8601 timestamp with Z or an offset')
  .meta({ format: 'date-time', example: '2026-08-20T14:03:07.250Z' });

/** The canonical form of a timestamp: UTC with milliseconds and Z. */
export const Instant = z.iso.datetime({ precision: 3 }).meta({ example: '2026-08-20T14:03:07.250Z' });
