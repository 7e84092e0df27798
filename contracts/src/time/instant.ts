import { z } from 'zod';

const written =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))$/;

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/**
 * Milliseconds since 1970 of an ISO 8601 instant that carries `Z` or an offset; digits beyond the millisecond are cut.
 * Undefined for anything else, impossible dates (31 February, hour 24, second 60) and offsets past 18 h included.
 */
export const instantMs = (text: string): number | undefined => {
  const found = written.exec(text);
  if (!found) return undefined;
  const part = (index: number) => Number(found[index] ?? 0);
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(part) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offsetHours = part(9);
  if (offsetHours > 18 || part(10) > 59) return undefined;
  const offsetMinutes = (offsetHours * 60 + part(10)) * (found[8] === '-' ? -1 : 1);
  const millis = Number((found[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, millis);
  return local.getTime() - offsetMinutes * 60_000;
};

/** The one form in which the house writes an instant: UTC with milliseconds and Z. */
export const instantOf = (ms: number): string => new Date(ms).toISOString();

/** An ISO 8601 instant with `Z` or an offset, kept as sent. */
export const InstantText = z
  .string()
  .max(40)
  .refine((text) => instantMs(text) !== undefined, 'must be an ISO 8601 timestamp with Z or an offset')
  .meta({ format: 'date-time', example: '2026-08-20T14:03:07.250Z' });

/** An instant in the house's own form, as events store it. */
export const Instant = z.iso.datetime({ precision: 3 }).meta({ example: '2026-08-20T14:03:07.250Z' });
