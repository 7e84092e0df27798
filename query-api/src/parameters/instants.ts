import { instantMs } from '@popsvc/contracts/time';

/** An instant in a request, with nanoseconds. Stored rows have whole milliseconds. */
export interface PreciseInstant {
  /** Milliseconds since 1970, rounded down. */
  readonly ms: number;
  readonly nanosPastMs: number;
}

/** A time window from `from` up to and not including `to`. */
export interface TimeWindow {
  readonly from: PreciseInstant;
  readonly to: PreciseInstant;
}

const fraction = /[.,](\d+)/;

/** Returns the digits of the fraction of a second; empty if there are none. */
export const fractionDigits = (text: string): string => fraction.exec(text)?.[1] ?? '';

export const parsePreciseInstant = (text: string): PreciseInstant | undefined => {
  const ms = instantMs(text);
  return ms === undefined ? undefined : { ms, nanosPastMs: Number(fractionDigits(text).slice(3).padEnd(6, '0')) };
};

export const isDateOnly = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Parses a date as midnight in UTC. */
export const parseDate = (date: string): PreciseInstant | undefined => parsePreciseInstant(`${date}T00:00:00Z`);

/** Rounds an instant up to whole milliseconds. */
export const ceilToMs = ({ ms, nanosPastMs }: PreciseInstant): number => (nanosPastMs > 0 ? ms + 1 : ms);

export const isBefore = (one: PreciseInstant, other: PreciseInstant): boolean =>
  one.ms < other.ms || (one.ms === other.ms && one.nanosPastMs < other.nanosPastMs);
