import { z } from 'zod';

const lastSequence = 2n ** 63n - 1n;
/** Returns whether the number fits into a sequence, which PostgreSQL stores as a signed 64-bit integer. */
export const isSequence = (digits: string): boolean => BigInt(digits) <= lastSequence;

const invalidCursor = 'must be the next_before of the page before';
/** The cursor of a list in descending order: a sequence in decimal digits. */
export const beforeParameter = z
  .string()
  .regex(/^\d{1,19}$/, { error: invalidCursor, abort: true })
  .refine(isSequence, invalidCursor);

/**
 * Cuts rows to a page. `found`: the rows of the page in descending order of their sequences, and one more if another page follows.
 */
export const cutPage = <Row extends { readonly sequence: string }>(
  found: readonly Row[],
  limit: number,
): { readonly rows: readonly Row[]; readonly nextBefore: string | null } => {
  const rows = found.slice(0, limit);
  return { rows, nextBefore: found.length > limit ? (rows.at(-1)?.sequence ?? null) : null };
};
