import { wholeProjection } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import { type BatchLimits, runProjection } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { backlogBatchLimits, type TestSystem } from '../support/test-system.ts';

const named = (wanted: string) => allProjections.find(({ name }) => name === wanted)!;

/** Folds the whole log into a separate generation. */
export const rebuildGeneration = async (
  { parts, writer, store }: TestSystem,
  generation: number,
  limits: BatchLimits,
  name = 'coffee',
) => {
  const projection = named(name);
  await ensureSchema(writer, [{ projection, generation }]);
  const [stop, upTo] = [new AbortController(), await store.readHeadPosition()];
  const onBatch = (_: unknown, batch: { readonly upTo: bigint }) => {
    if (batch.upTo >= upTo) stop.abort();
  };
  await runProjection(
    { ...parts, limits: backlogBatchLimits(limits), onBatch },
    { projection, generation, partition: wholeProjection },
    stop.signal,
  );
};

const rowsOf = (writer: ClickHouseWriter, table: TableDefinition, generation: number) => {
  const columns = Object.entries(table.fields).flatMap(([name, { isIncidental }]) => (isIncidental ? [] : [name]));
  return writer.rows(`SELECT ${columns.join(', ')} FROM ${generationTable(table, generation)} FINAL ORDER BY ALL`);
};

/** Reads every row of every table of a projection through a writer, except former rows: these depend on batches. */
export const readTablesOf = async (
  writer: ClickHouseWriter,
  generation: number,
  name: string,
): Promise<Record<string, unknown[]>> => {
  const { tables, derived } = named(name);
  const compared = tables.filter((table) => table !== derived?.history);
  return Object.fromEntries(
    await Promise.all(compared.map(async (table) => [table.name, await rowsOf(writer, table, generation)] as const)),
  );
};

/** Reads every row of every table of a projection. */
export const readTables = (
  { writer }: TestSystem,
  generation: number,
  name = 'coffee',
): Promise<Record<string, unknown[]>> => readTablesOf(writer, generation, name);

/** Compares every row of every table of two generations. */
export const expectSameTables = async (
  system: TestSystem,
  [one, other]: readonly [number, number],
  name = 'coffee',
): Promise<void> => {
  const [expected, actual] = [await readTables(system, one, name), await readTables(system, other, name)];
  for (const [table, rows] of Object.entries(expected)) expect(actual[table], `${name} ${table}`).to.deep.equal(rows);
};
