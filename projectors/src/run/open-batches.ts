import type { TableDefinition } from '@popsvc/contracts/tables';
import { type RowBatch, rowBinary } from '@popsvc/platform/read-store';
import type { PendingInsert } from './projection.ts';

/** The open batch of a fold: one row batch a table; sealing hands them over and starts anew. */
export interface OpenBatches<Name extends string> {
  readonly of: Readonly<Record<Name, RowBatch>>;
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(): PendingInsert[];
}

/** Rows that belong together: all of them are added, or none. */
export const together = (batches: readonly RowBatch[], add: () => void): void => {
  const undo = batches.map((batch) => batch.mark());
  try {
    add();
  } catch (error) {
    for (const takeBack of undo) takeBack();
    throw error;
  }
};

/** Rows of `uncounted` tables do not make the batch full, only their bytes do. */
export const openBatches = <Name extends string>(
  tables: Readonly<Record<Name, TableDefinition>>,
  uncounted: readonly NoInfer<Name>[] = [],
): OpenBatches<Name> => {
  const names = Object.keys(tables) as Name[];
  const makers = names.map((name) => [name, rowBinary(tables[name].fields)] as const);
  const fresh = () => Object.fromEntries(makers.map(([name, make]) => [name, make()])) as Record<Name, RowBatch>;
  let open = fresh();
  const counted = names.filter((name) => !uncounted.includes(name));
  const sum = (which: readonly Name[], of: (batch: RowBatch) => number) =>
    which.reduce((total, name) => total + of(open[name]), 0);
  return {
    get of() {
      return open;
    },
    get pending() {
      return { rows: sum(counted, ({ rows }) => rows), bytes: sum(names, ({ bytes }) => bytes) };
    },
    seal() {
      const sealed = open;
      open = fresh();
      return names.flatMap((name) => (sealed[name].rows > 0 ? [{ table: tables[name], batch: sealed[name] }] : []));
    },
  };
};
