import { instantMs } from '@popsvc/contracts/time';

/** An instant as asked for: its millisecond, and the nanoseconds by which it lies past the beginning of it. */
export interface Moment {
  readonly ms: number;
  readonly beyondNs: number;
}

const fraction = /[.,](\d+)/;

export const momentOf = (text: string): Moment | undefined => {
  const ms = instantMs(text);
  return ms === undefined ? undefined : { ms, beyondNs: Number(fractionOf(text).slice(3).padEnd(6, '0')) };
};

/** UTC midnight of a date. */
export const midnightOf = (date: string): Moment | undefined => momentOf(`${date}T00:00:00Z`);

export const isDateOnly = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** The digits after the second. */
export const fractionOf = (text: string): string => fraction.exec(text)?.[1] ?? '';

/** The first whole millisecond that is not before it. Rows stand on whole milliseconds. */
export const ceilMs = ({ ms, beyondNs }: Moment): number => (beyondNs > 0 ? ms + 1 : ms);

export const isBefore = (one: Moment, other: Moment): boolean =>
  one.ms < other.ms || (one.ms === other.ms && one.beyondNs < other.beyondNs);
