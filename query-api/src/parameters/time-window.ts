import { instantMs } from '@popsvc/contracts/time';
import { parsedParameter } from '@popsvc/http-kit/server';

/** Stored rows have millisecond precision, parameters may have nanoseconds. */
export interface PreciseInstant {
  /** Ms since 1970, rounded down. */
  readonly ms: number;
  readonly nanosPastMs: number;
}

/** Includes `from`, excludes `to`. */
export interface TimeWindow {
  readonly from: PreciseInstant;
  readonly to: PreciseInstant;
}

const fraction = /[.,](\d+)/;

export const fractionDigits = (text: string): string => fraction.exec(text)?.[1] ?? '';

export const parsePreciseInstant = (text: string): PreciseInstant | undefined => {
  const ms = instantMs(text);
  return ms === undefined ? undefined : { ms, nanosPastMs: Number(fractionDigits(text).slice(3).padEnd(6, '0')) };
};

const isDateOnly = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

const parseDate = (date: string): PreciseInstant | undefined => parsePreciseInstant(`${date}T00:00:00Z`);

export const ceilToMs = ({ ms, nanosPastMs }: PreciseInstant): number => (nanosPastMs > 0 ? ms + 1 : ms);

export const isBefore = (one: PreciseInstant, other: PreciseInstant): boolean =>
  one.ms < other.ms || (one.ms === other.ms && one.nanosPastMs < other.nanosPastMs);

/** `about`: description for OpenAPI. With `acceptsDates`, a date alone means midnight in UTC. */
export const windowEdge = (about: string, acceptsDates = false) =>
  parsedParameter(
    (text) => (acceptsDates && isDateOnly(text) ? parseDate(text) : parsePreciseInstant(text)),
    (text) =>
      isDateOnly(text) && !acceptsDates
        ? 'must include a time, not a date alone'
        : `must be an ISO 8601 ${acceptsDates ? 'date or ' : ''}datetime with Z or an offset (a plus sign is written %2B)`,
    acceptsDates
      ? { anyOf: ['date-time', 'date'].map((format) => ({ type: 'string', format })) }
      : { format: 'date-time' },
  ).describe(
    `${about}${acceptsDates ? ' A date alone means midnight in UTC.' : ''} Write the plus sign of an offset as %2B.`,
  );
