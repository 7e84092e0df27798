import { z } from 'zod';

const lastSequence = 2n ** 63n - 1n;
const invalidCursor = 'must be the cursor of the next page, from the page before';

/**
 * Pages of a list sorted by a unique key. `columns` maps each key column to a regular expression; with several columns, none may match a
 * dot. Values of `sequence` must fit a PostgreSQL bigint.
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
    cursor: z.string().regex(format, invalidCursor).transform(parseCursor).refine(isInRange, invalidCursor),
    /** `found`: rows in the order of the list, and one more than `limit` if another page follows. */
    cutPage: <Row extends Readonly<Record<Column, string | number>>>(found: readonly Row[], limit: number) => {
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      return { rows, next: last ? names.map((name) => last[name]).join('.') : null };
    },
  };
};

export const sequencePattern = String.raw`\d{1,19}`;
export const sequencePages = keysetPages({ sequence: sequencePattern });
