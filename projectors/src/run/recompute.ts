import { generationTable, type TableDefinition } from '@popsvc/contracts/tables';
import type { Change } from '../places/place-watch.ts';
import { daysOf } from './days.sql.ts';
import type { Range, Steps } from './projection.ts';

/** Why facts are computed again: the batch names them or touches them, or the registry changed what they rest on. */
export type Reason = 'batch' | 'registry';

/** How a dataset is computed from its facts: statements that fill temporary tables, the last one inserts the rows. */
export interface Recipe {
  readonly table: TableDefinition;
  readonly statements: (generation: number, reason: Reason) => readonly string[];
  readonly temporary: readonly string[];
}

export interface Stale {
  /** Whether the batch holds facts. */
  readonly facts: boolean;
  readonly changes: readonly Change[];
}

/** What a batch made stale: what its facts touch, and what the registry changed, a day at a time so that a set stays small. */
export const recompute = async (
  steps: Steps,
  recipe: Recipe,
  range: Range,
  { facts, changes }: Stale,
): Promise<void> => {
  const { generation } = steps;
  const pass = async (reason: Reason, of: Readonly<Record<string, unknown>> = {}) => {
    const params = { after: range.after.toString(), upTo: range.upTo.toString(), ...of };
    for (const statement of recipe.statements(generation, reason)) await steps.run(statement, params);
    for (const name of recipe.temporary) await steps.run(`DROP TEMPORARY TABLE IF EXISTS ${name}`);
  };
  if (facts) await pass('batch');
  for (const change of changes)
    for (const day of await daysOf(steps, generationTable(recipe.table, generation), change))
      await pass('registry', { ...day, network: change.network, everything: change.everything ? 1 : 0 });
};
