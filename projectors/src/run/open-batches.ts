import type { TableDefinition } from '@popsvc/contracts/tables';
import { type RowBatch, rowBinary } from '@popsvc/platform/read-store';
import type { PendingInsert } from './projection.ts';

/** The open batch of a fold: one row batch a table; sealing hands them over and starts anew. */
export interface OpenBatches<Name extends string> {
  readonly of: Readonly<Record<Name, RowBatch>>;
  readonly pending: { readonly rows: number; readonly bytes: number };
  seal(): PendingInsert[];
}

export const openBatches = <Name extends string>(
  tables: Readonly<Record<Name, TableDefinition>>,
): OpenBatches<Name> => {
  const names = Object.keys(tables) as Name[];
  const makers = names.map((name) => [name, rowBinary(tables[name].fields)] as const);
  const fresh = () => Object.fromEntries(makers.map(([name, make]) => [name, make()])) as Record<Name, RowBatch>;
  let open = fresh();
  const sum = (of: (batch: RowBatch) => number) => names.reduce((total, name) => total + of(open[name]), 0);
  return {
    get of() {
      return open;
    },
    get pending() {
      return { rows: sum(({ rows }) => rows), bytes: sum(({ bytes }) => bytes) };
    },
    seal() {
      const sealed = open;
      open = fresh();
      return names.flatMap((name) => (sealed[name].rows > 0 ? [{ table: tables[name], batch: sealed[name] }] : []));
    },
  };
};
