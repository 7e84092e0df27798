import { type RowBatch, compileRowBinary, type TableDefinition } from '@popsvc/platform/clickhouse';
import type { PendingInsert } from './projection.ts';

export interface RowBatches<Name extends string> {
  readonly of: Readonly<Record<Name, RowBatch>>;
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(): PendingInsert[];
}

/** Calls `add`, which adds rows to several row batches. If `add` throws, removes its rows again. */
export const addAtomically = (batches: readonly RowBatch[], add: () => void): void => {
  const undo = batches.map((batch) => batch.savepoint());
  try {
    add();
  } catch (error) {
    for (const takeBack of undo) takeBack();
    throw error;
  }
};

/** `uncounted`: tables whose rows do not count toward the row limit of a batch; their bytes count toward its byte limit. */
export const createRowBatches = <Name extends string>(
  tables: Readonly<Record<Name, TableDefinition>>,
  uncounted: readonly NoInfer<Name>[] = [],
): RowBatches<Name> => {
  const names = Object.keys(tables) as Name[];
  const makers = names.map((name) => [name, compileRowBinary(tables[name].fields)] as const);
  const fresh = () => Object.fromEntries(makers.map(([name, make]) => [name, make()])) as Record<Name, RowBatch>;
  let open = fresh();
  const counted = names.filter((name) => !uncounted.includes(name));
  return {
    get of() {
      return open;
    },
    // Runs for each event, so it uses plain loops, which allocate no arrays.
    get pending() {
      let rows = 0;
      let bytes = 0;
      for (const name of counted) rows += open[name].rows;
      for (const name of names) bytes += open[name].bytes;
      return { rows, bytes };
    },
    seal() {
      const sealed = open;
      open = fresh();
      return names.flatMap((name) => (sealed[name].rows > 0 ? [{ table: tables[name], batch: sealed[name] }] : []));
    },
  };
};
