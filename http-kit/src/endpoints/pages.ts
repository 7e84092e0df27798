import { z } from 'zod';

const lastSequence = 2n ** 63n - 1n;
const invalidCursor = 'must be the cursor of the next page, from the page before';

/**
 * Declares the pages of a list that is sorted by the columns of a unique key. The cursor of a page is the key of the last row
 * before the page, so pages neither repeat nor skip a row while others are added. `columns` maps each key column to a regular expression
 * of its values. With several columns, no expression may match a dot, which separates the values in a cursor. Values of a column
 * `sequence` must fit a bigint of PostgreSQL.
 */
export const keysetPages = <const Column extends string>(columns: Readonly<Record<Column, string>>) => {
  const names = Object.keys(columns) as Column[];
  const format = new RegExp(`^${Object.values<string>(columns).join('\\.')}$`);
  const parseCursor = (cursor: string) => {
    const values = names.length > 1 ? cursor.split('.') : [cursor];
    return Object.fromEntries(names.map((name, index) => [name, values[index]!])) as Readonly<Record<Column, string>>;
  };
  const isInRange = (key: Readonly<Partial<Record<string, string>>>) => BigInt(key['sequence'] ?? 0) <= lastSequence;
  return {
    /** The parameter with the cursor. Parses to the key of the last row of the previous page. */
    cursor: z.string().regex(format, invalidCursor).transform(parseCursor).refine(isInRange, invalidCursor),
    /** Cuts rows to a page. `found`: the rows of the page in the order of the list, and one more if another page follows. */
    cutPage: <Row extends Readonly<Record<Column, string | number>>>(found: readonly Row[], limit: number) => {
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      return { rows, next: last ? names.map((name) => last[name]).join('.') : null };
    },
  };
};

export const sequencePattern = String.raw`\d{1,19}`;
export const sequencePages = keysetPages({ sequence: sequencePattern });
