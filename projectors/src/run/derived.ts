import type { Steps } from './projection.ts';
import type { Derived } from './recipe.ts';

/** What a table of that name looks like, from the first time it was filled; it follows from the statement, so it is the same for good. */
const shapes = new Map<string, string>();

const isEmpty = async (steps: Steps, table: string): Promise<boolean> =>
  (await steps.rows(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;

const shapeOf = async (steps: Steps, table: string): Promise<string> =>
  (await steps.rows<{ name: string; type: string }>(`DESCRIBE TABLE ${table}`))
    .map(({ name, type }) => `${name} ${type}`)
    .join(', ');

/**
 * Fills a temporary table from another. Of none it makes none, and most batches have nobody in them: for ten plays that nobody saw,
 * `seen` then took 35 to 49 ms of a core and `online` 8, nearly all of it planning; to ask and to name the columns takes not quite 3 (by
 * `system.query_log`, on a loaded machine).
 */
export const derive = async (
  steps: Steps,
  { fills, from, sql }: Derived,
  params: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const shape = shapes.get(fills);
  if (shape !== undefined && (await isEmpty(steps, from))) {
    await steps.run(`CREATE TEMPORARY TABLE ${fills} (${shape})`);
    return;
  }
  await steps.run(sql, params);
  if (shape === undefined) shapes.set(fills, await shapeOf(steps, fills));
};
