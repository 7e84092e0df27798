import { isUtf8 } from 'node:buffer';
import type { Content } from '../pieces.ts';
import { findLossyNumbers } from './lossy-numbers.ts';
import { mostLevels } from './most-levels.ts';

const halfCharacter = /\p{Surrogate}/u;
const mayHoldHalfCharacters = /\\u[dD][89a-fA-F]/;
/** Half a surrogate pair cannot be written as UTF-8: two different ids would be stored as one. */
const holdsHalfCharacter = (value: unknown): boolean => {
  if (typeof value === 'string') return halfCharacter.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => halfCharacter.test(key) || holdsHalfCharacter(inner));
};

interface Looked {
  deep: boolean;
  /** There is a number that may have been written in more digits than it is kept in: only then the text is looked at. */
  unsafeNumber: boolean;
}

const isUnsafe = (value: number): boolean =>
  !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));

/** One walk for all questions, in the way that engines do fastest: most of what a row costs beyond JSON.parse is this. */
const look = (value: Readonly<Record<string, unknown>>, levels: number, into: Looked): Looked => {
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === 'number') into.unsafeNumber ||= isUnsafe(inner);
    else if (typeof inner === 'object' && inner !== null) {
      if (levels === 1) into.deep = true;
      else look(inner as Record<string, unknown>, levels - 1, into);
    }
  }
  return into;
};

/** Where JSON.parse stumbled, if it says so; its own words quote the text, whatever that holds. */
const where = (error: unknown): string => {
  const message = error instanceof Error ? error.message : '';
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return ` at character ${Number(position) + 1}`;
  return message.includes('end of JSON') ? ', it ends too soon' : '';
};

/** What JSON.parse makes of the bytes, if that is an object an event can be. */
export const jsonRow = (bytes: Buffer): Content => {
  if (!isUtf8(bytes)) return { error: 'is not UTF-8' };
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `is not JSON${where(error)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'is not an object' };
  const event = value as Record<string, unknown>;
  const { deep, unsafeNumber } = look(event, mostLevels, { deep: false, unsafeNumber: false });
  if (deep) return { error: `is nested deeper than ${mostLevels} levels` };
  if (mayHoldHalfCharacters.test(text) && holdsHalfCharacter(value)) return { error: 'holds half a character' };
  if (unsafeNumber && findLossyNumbers(bytes).size > 0)
    return { error: 'holds a number of too many digits to be kept; it must be sent as text' };
  return { event };
};
