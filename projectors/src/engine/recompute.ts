import { isResourceLimitExceeded } from '@popsvc/platform/clickhouse';
import type { StaleWindow } from './recipe.ts';
import { createTemporaryTable } from './derived.ts';
import { batchParameters, knownParameter } from './in-batch.sql.ts';
import type { BatchRange, BatchSession } from './projection.ts';
import type { RecomputeReason, RecomputePlan } from './recipe.ts';
import { readStaleWindows } from './windows.sql.ts';

export interface StaleFacts {
  /** Whether the batch holds facts, and whether those touch others; undefined: it holds none. */
  readonly facts: 'batch' | 'alone' | undefined;
  readonly changes: readonly StaleWindow[];
  /** Facts that stand further back in the log, named as the recipe names them. */
  readonly released?: readonly object[];
}

/**
 * How many parts are tried: a set may be larger than ClickHouse has memory or time for (a thousand people in front of a screen
 * all day are millions of rows), and what is refused once is refused for ever.
 */
const partings = [1, 16, 256];

/** Computes what a reason names, once: as a whole, or in parts where that is too much or known to be. */
export const recomputeFacts = async (
  steps: BatchSession,
  recipe: RecomputePlan,
  range: BatchRange,
  reason: RecomputeReason,
  of: object = {},
  fewest = 1,
): Promise<void> => {
  const statements = recipe.statements(steps.generation, reason);
  const temporary = statements.flatMap((statement) => (typeof statement === 'string' ? [] : [statement.name]));
  const clear = async () => {
    await steps.run(`DROP TEMPORARY TABLE IF EXISTS ${temporary.join(', ')}`);
  };
  const compute = async (slices: number, slice: number) => {
    const params = {
      ...batchParameters(range),
      ...knownParameter(range.upTo, steps.derivedUpTo),
      ...of,
      slices,
      slice,
    };
    for (const statement of statements)
      if (typeof statement === 'string') await steps.run(statement, params);
      else await createTemporaryTable(steps, statement, params);
    await clear();
  };
  for (const slices of recipe.isSliced ? [fewest, ...partings.filter((parting) => parting > fewest)] : [1])
    try {
      for (let slice = 0; slice < slices; slice += 1) await compute(slices, slice);
      return;
    } catch (error) {
      if (!isResourceLimitExceeded(error) || !recipe.isSliced || slices >= partings.at(-1)!) throw error;
      await clear();
    }
};

/**
 * What a batch made stale: what its facts touch, and what the registry changed, a window at a time so that a set stays small. Every
 * fact of the batch is in by now, so that what two passes compute of one play is the same.
 */
export const recomputeStale = async (
  steps: BatchSession,
  recipe: RecomputePlan,
  range: BatchRange,
  { facts, changes, released = [] }: StaleFacts,
): Promise<void> => {
  if (facts) await recomputeFacts(steps, recipe, range, facts);
  for (const change of changes)
    for (const { fromMs, toMs } of await readStaleWindows(steps, recipe, range, change)) {
      const of = { fromMs, toMs, network: change.network, everything: change.everything ? 1 : 0 };
      await recomputeFacts(steps, recipe, range, change.reason, of);
    }
  for (const page of released) await recomputeFacts(steps, recipe, range, 'released', page);
};
