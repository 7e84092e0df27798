import type { BatchSession } from './projection.ts';
import type { TemporaryTable } from './recipe.ts';

/** The columns that a statement selects, from the first time it ran; they follow from its text, so they are the same for good. */
const shapes = new Map<string, string>();

const isEmpty = async (steps: BatchSession, table: string): Promise<boolean> =>
  (await steps.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;

const shapeOf = async (steps: BatchSession, table: string): Promise<string> =>
  (await steps.rows<{ name: string; type: string }>(`DESCRIBE TABLE ${table}`))
    .map(({ name, type }) => `${name} ${type}`)
    .join(', ');

/**
 * Makes a temporary table. What ten plays cost is nearly all planning, so nothing is planned that need not be (CPU by
 * `system.query_log`, of batches of ten plays on a loaded machine): `CREATE … AS` plans what it selects twice, first for its columns
 * (`resolved` 24 ms, else 19; `affected` 12 and 10); and of nothing comes nothing, most batches having nobody in them (`seen` took 35 to
 * 49 ms, `online` 8, to ask not quite 2).
 */
export const createTemporaryTable = async (
  steps: BatchSession,
  { name, emptyIfEmpty, sql }: TemporaryTable,
  params: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const shape = shapes.get(sql);
  if (shape === undefined) {
    await steps.run(`CREATE TEMPORARY TABLE ${name} AS ${sql}`, params);
    shapes.set(sql, await shapeOf(steps, name));
    return;
  }
  await steps.run(`CREATE TEMPORARY TABLE ${name} (${shape})`);
  if (emptyIfEmpty === undefined || !(await isEmpty(steps, emptyIfEmpty)))
    await steps.run(`INSERT INTO ${name} ${sql}`, params);
};
