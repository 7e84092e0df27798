import { instantMs, instantOf } from '@popsvc/contracts/time';
import { fractionOf, type Moment, momentOf } from './moment.ts';

/** Where a page begins: after an instant, or after one row of it. */
export interface Cursor extends Moment {
  /** The row of the millisecond after which to go on. Its 16 digits may say more than a double holds. */
  readonly number?: bigint;
}

export interface Place {
  readonly ms: number;
  readonly number: number;
}

const numberDigits = 16;
const digitsInside = 3 + numberDigits;
const mostDigits = 9;

/** Up to 9 digits after the second are a time; 19 are a row: 3 of the time and 16 of its number. Undefined for any other. */
export const cursorOf = (text: string): Cursor | undefined => {
  const digits = fractionOf(text);
  if (digits.length <= mostDigits) return momentOf(text);
  if (digits.length !== digitsInside) return undefined;
  const ms = instantMs(text.replace(digits, digits.slice(0, 3)));
  return ms === undefined ? undefined : { ms, beyondNs: 0, number: BigInt(digits.slice(3)) };
};

/** The cursor after `last`, given the row that follows it; null when none does. */
export const nextAfter = (last: Place, next: Place | undefined): string | null => {
  if (!next) return null;
  const instant = instantOf(last.ms);
  return next.ms === last.ms ? instant.replace('Z', `${String(last.number).padStart(numberDigits, '0')}Z`) : instant;
};
