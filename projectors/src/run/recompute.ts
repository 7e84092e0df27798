import { generationTable, type TableDefinition } from '@popsvc/contracts/tables';
import type { Change } from '../places/place-watch.ts';
import { daysOf } from './days.sql.ts';
import type { Range, Steps } from './projection.ts';

/**
 * Why facts are computed again: the batch names them or touches them, the registry changed what they rest on, or they
 * stood further back in the log and only now became facts.
 */
export type Reason = 'batch' | 'registry' | 'released';

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

/** Computes what a reason names, once. */
export const computeAgain = async (
  steps: Steps,
  recipe: Recipe,
  { after, upTo }: Range,
  reason: Reason,
  of: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  const params = { after: after.toString(), upTo: upTo.toString(), ...of };
  for (const statement of recipe.statements(steps.generation, reason)) await steps.run(statement, params);
  for (const name of recipe.temporary) await steps.run(`DROP TEMPORARY TABLE IF EXISTS ${name}`);
};

/** What a batch made stale: what its facts touch, and what the registry changed, a day at a time so that a set stays small. */
export const recompute = async (
  steps: Steps,
  recipe: Recipe,
  range: Range,
  { facts, changes }: Stale,
): Promise<void> => {
  if (facts) await computeAgain(steps, recipe, range, 'batch');
  for (const change of changes)
    for (const day of await daysOf(steps, generationTable(recipe.table, steps.generation), change)) {
      const of = { ...day, network: change.network, everything: change.everything ? 1 : 0 };
      await computeAgain(steps, recipe, range, 'registry', of);
    }
};
