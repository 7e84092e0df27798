import { buffer } from 'node:stream/consumers';
import { createClient } from '@clickhouse/client';
import { coffee, progress, receipts } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import type { ClickHouse } from '../testbed/clickhouse.ts';
import type { Prebuilt } from './recording-writer.ts';

/** Tables that ClickHouse fills itself, and which of their rows a batch made that stand in the end. */
const computed = [
  { table: coffee, of: (upTo: string) => `version = 2 * ${upTo} + 1 AND is_deleted = 0` },
  { table: receipts, of: (upTo: string) => `version = ${upTo}` },
];

/** What ClickHouse computed of each batch of a generation of coffee, in RowBinary: whoever knew it would only insert it. */
export const computedRows = async ({ url, writer }: ClickHouse, generation: number): Promise<readonly Prebuilt[][]> => {
  const client = createClient({ url: new URL('/', url), database: new URL(url).pathname.slice(1), ...writer });
  const ask = async (query: string) => buffer((await client.exec({ query })).stream);
  const ends = await ask(
    `SELECT pos FROM ${generationTable(progress, 1)} WHERE projection = 'coffee' AND generation = ${generation} ORDER BY pos`,
  );
  const batches: Prebuilt[][] = [];
  for (const upTo of ends.toString().trim().split('\n')) {
    const batch: Prebuilt[] = [];
    for (const { table, of } of computed) {
      const columns = Object.keys(table.fields);
      const body = await ask(
        `SELECT ${columns.join(', ')} FROM ${generationTable(table, generation)} FINAL WHERE ${of(upTo)} FORMAT RowBinary`,
      );
      if (body.length > 0) batch.push({ table, insert: { columns, body } });
    }
    batches.push(batch);
  }
  await client.close();
  return batches;
};
