import { progress } from '../tables/progress.table.ts';
import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';

export interface Pruning {
  /** For how long before the newest batch of a generation each of its batches is kept. */
  readonly keptMs: number;
  /** As many rows at least are dropped at once: it writes what stays anew. */
  readonly fewest: number;
}

/** A copy of PostgreSQL that is restored is mostly younger; for ClickHouse that was restarted it takes a minute. */
const standard: Pruning = { keptMs: 7 * 24 * 3_600_000, fewest: 100_000 };

const table = generationTable(progress, 1);

/** By the newest batch of the same generation: one that stands still grows no older. */
const oldSql = `
  SELECT projection, generation, toString(max(pos)) AS last, toString(any(until_ms)) AS until
  FROM ${table}
  INNER JOIN (
    SELECT projection, generation, toUnixTimestamp64Milli(max(written_at)) - {keptMs:Int64} AS until_ms
    FROM ${table} GROUP BY projection, generation
  ) AS newest USING (projection, generation)
  WHERE toUnixTimestamp64Milli(written_at) <= until_ms
  GROUP BY projection, generation HAVING count() > {fewest:UInt64}`;

interface Old {
  readonly projection: string;
  readonly generation: number;
  readonly last: string;
  readonly until: string;
}

const dropSql = `
  ALTER TABLE ${table} DELETE
  WHERE projection = {projection:String} AND generation = {generation:UInt32} AND pos < {last:UInt64}
  AND toUnixTimestamp64Milli(written_at) <= {until:Int64} SETTINGS mutations_sync = 1`;

/**
 * Drops what is told of batches that were written long ago, but for the last of them, so that from where to go on is found as
 * ever. Where batches ended is needed of those that may have been written in part; all that were told so long ago are whole, and
 * whoever goes on from further back is told where the newer ones ended.
 */
export const pruneProgress = async (
  writer: ClickHouseWriter,
  { keptMs, fewest }: Pruning = standard,
): Promise<void> => {
  const old = await writer.rows<Old>(oldSql, { params: { keptMs, fewest } });
  for (const each of old) await writer.run(dropSql, { params: { ...each } });
};
