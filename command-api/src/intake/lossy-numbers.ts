import { type ApiErrorDetail, maxErrorDetails } from '@popsvc/contracts/errors';
import { findLossyNumbers } from '@popsvc/platform/row-readers';
import { invalid } from './invalid.ts';

export interface Within {
  /** The field of the body that holds the items. */
  readonly list: string;
  /** What of an item is looked at. */
  readonly within: 'whole' | readonly string[];
}

/** Refuses numbers that would not be stored as sent. */
export const refuseLossyNumbers = (bytes: Buffer, items: readonly unknown[], { list, within }: Within): void => {
  const parts = (item: unknown): readonly (readonly [path: string, value: unknown])[] =>
    within === 'whole'
      ? [['', item]]
      : within.map((field) => [`.${field}`, (item as Readonly<Record<string, unknown>> | null)?.[field]]);
  // The text of the body tells which numbers lost something, and is only read where one may have.
  if (!items.some((item) => parts(item).some(([, value]) => mayHoldLossy(value)))) return;
  const lossy = findLossyNumbers(bytes);
  const details: ApiErrorDetail[] = [];
  for (let index = 0; index < items.length && details.length < maxErrorDetails; index++)
    for (const [at, value] of parts(items[index])) {
      const path = pathTo(value, lossy, `${list}[${index}]${at}`);
      if (path === undefined) continue;
      details.push({ path: path.slice(0, 200), message: 'is a number of too many digits to be kept; send it as text' });
      break;
    }
  if (details.length > 0) throw invalid(details);
};

/** Whole numbers past 2^53 may have been others; fractions are rounded as everybody rounds them. */
const mayHoldLossy = (value: unknown): boolean => {
  if (typeof value === 'number')
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  return typeof value === 'object' && value !== null && Object.values(value).some(mayHoldLossy);
};

const pathTo = (value: unknown, lossy: ReadonlySet<number>, at: string): string | undefined => {
  if (typeof value === 'number') return lossy.has(value) ? at : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) {
    const path = pathTo(inner, lossy, isList ? `${at}[${key}]` : `${at}.${key}`);
    if (path !== undefined) return path;
  }
  return undefined;
};
