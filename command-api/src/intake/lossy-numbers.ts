import { type Detail, mostDetails } from '@popsvc/contracts/errors';
import { lossyNumbers } from '@popsvc/platform/rows';
import { invalid } from './invalid.ts';

/** Refuses numbers that would not be stored as sent. */
export const refuseLossyNumbers = (bytes: Buffer, items: readonly unknown[], list: string): void => {
  const lossy = lossyNumbers(bytes);
  if (lossy.size === 0) return;
  const details: Detail[] = [];
  for (let index = 0; index < items.length && details.length < mostDetails; index++) {
    const path = pathTo(items[index], lossy, `${list}[${index}]`);
    if (path !== undefined)
      details.push({ path: path.slice(0, 200), message: 'is a number of too many digits to be kept; send it as text' });
  }
  if (details.length > 0) throw invalid(details);
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
