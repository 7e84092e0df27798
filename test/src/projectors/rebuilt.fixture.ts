import { generationTable, type TableDefinition } from '@popsvc/contracts/tables';
import { allProjections, ensureSchema, type Limits, runIncarnation } from '@popsvc/projectors/run';
import type { Projecting } from '../support/projecting.ts';

const coffee = allProjections.find(({ name }) => name === 'coffee')!;

/** Folds the whole log into a generation of coffee of its own, as a rebuild does. */
export const rebuild = async ({ parts, writer, store }: Projecting, generation: number, limits: Limits) => {
  await ensureSchema(writer, [{ projection: coffee, generation }]);
  const [stop, upTo] = [new AbortController(), await store.head()];
  const onBatch = (_: unknown, batch: { readonly upTo: bigint }) => {
    if (batch.upTo >= upTo) stop.abort();
  };
  await runIncarnation({ ...parts, limits, onBatch }, coffee, generation, stop.signal);
};

/** When a row was made, and in which batch, is not what it says. */
const byTheWay = ['projected_at', 'version'];

const rowsOf = ({ writer }: Projecting, table: TableDefinition, generation: number) => {
  const columns = Object.keys(table.fields).filter((column) => !byTheWay.includes(column));
  return writer.rows(`SELECT ${columns.join(', ')} FROM ${generationTable(table, generation)} FINAL ORDER BY ALL`);
};

/** Every row of every table of coffee. */
export const told = async (house: Projecting, generation: number): Promise<Record<string, unknown[]>> =>
  Object.fromEntries(
    await Promise.all(
      coffee.tables.map(async (table) => [table.name, await rowsOf(house, table, generation)] as const),
    ),
  );
