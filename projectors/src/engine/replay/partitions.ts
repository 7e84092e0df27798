import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';

export interface Partition {
  readonly table: string;
  readonly partition: string;
  readonly rows: number;
}

const partitionsSql = `SELECT table, partition_id AS partition, toFloat64(sum(rows)) AS rows FROM system.parts
  WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
  GROUP BY table, partition_id ORDER BY table, partition_id`;

/** What tables consist of. */
export const partitionsOf = (writer: ClickHouseWriter, tables: readonly string[]): Promise<readonly Partition[]> =>
  writer.rows<Partition>(partitionsSql, { params: { tables } });
