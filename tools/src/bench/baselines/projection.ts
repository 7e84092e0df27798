import { buffer } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';
import { EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client';
import { type ClickHouseWriter, generationTable, type Insert, type TableDefinition } from '@popsvc/platform/clickhouse';
import { coffee, progressTable, receipts } from '@popsvc/read-models/tables';
import type { ClickHouse } from '../testbed/engines.ts';

/** An insert whose rows are already encoded. The benchmark can execute it again for another generation of the table. */
export interface PreparedInsert {
  readonly table: TableDefinition;
  readonly insert: Pick<Insert, 'columns' | 'body'>;
}

/**
 * Creates a writer that executes every insert. If the target is one of `tables` in the given generation, the writer also records
 * the insert. The recorded inserts are grouped by batch; an insert into the progress table marks the end of a batch.
 */
export const createRecordingWriter = (
  writer: ClickHouseWriter,
  generation: number,
  tables: readonly TableDefinition[],
) => {
  const batches: PreparedInsert[][] = [];
  let batch: PreparedInsert[] = [];
  const recording: ClickHouseWriter = {
    ...writer,
    async insert(insert) {
      await writer.insert(insert);
      const table = tables.find((known) => generationTable(known, generation) === insert.table);
      if (table) batch.push({ table, insert });
      if (insert.table !== progressTable(coffee.name)) return;
      batches.push(batch);
      batch = [];
    },
  };
  return { recording, batches };
};

/**
 * Tables whose rows ClickHouse computes itself instead of receiving them from the projector. `of` builds an SQL condition that
 * selects one batch's rows; `upTo` is the last sequence of the batch.
 */
const computedTables = [
  { table: coffee, of: (upTo: string) => `version = 2 * ${upTo} + 1 AND is_deleted = 0` },
  { table: receipts, of: (upTo: string) => `version = ${upTo}` },
];

/**
 * Reads the rows that ClickHouse computed for one generation of the `coffee` projection, batch by batch. Returns them in
 * RowBinary format, ready to insert.
 */
export const readComputedRows = async (
  { url, writer }: ClickHouse,
  generation: number,
): Promise<readonly PreparedInsert[][]> => {
  const client = createClient({ url: new URL('/', url), database: new URL(url).pathname.slice(1), ...writer });
  const read = async (query: string) => buffer((await client.exec({ query })).stream);
  const ends = await read(`SELECT DISTINCT version FROM ${generationTable(receipts, generation)} ORDER BY version`);
  const batches: PreparedInsert[][] = [];
  for (const upTo of ends.toString().trim().split('\n')) {
    const batch: PreparedInsert[] = [];
    for (const { table, of } of computedTables) {
      const columns = Object.keys(table.fields);
      const body = await read(
        `SELECT ${columns.join(', ')} FROM ${generationTable(table, generation)} FINAL WHERE ${of(upTo)} FORMAT RowBinary`,
      );
      if (body.length > 0) batch.push({ table, insert: { columns, body } });
    }
    batches.push(batch);
  }
  await client.close();
  return batches;
};

/** Reads the events that a projection needs, up to a position, directly through the event store client. */
export const readLog = async (url: string, prefixes: readonly string[], upTo: bigint): Promise<void> => {
  const client = EventStoreDBClient.connectionString(url);
  const filter = streamNameFilter({ prefixes: [...prefixes] });
  const subscription = client.subscribeToAll({ fromPosition: START, filter });
  for await (const { event } of subscription) if (event && event.position.commit >= upTo) break;
  await subscription.unsubscribe();
  await client.dispose();
};
