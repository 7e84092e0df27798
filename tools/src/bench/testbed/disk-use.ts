import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Pool } from 'pg';
import type { Testbed } from './rig.ts';

/** What the files of a folder take on disk, bytes. */
export const bytesIn = async (dir: string): Promise<number> => {
  let bytes = 0;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).blocks * 512;
  return bytes;
};

/** Of what both sides keep, bytes; logs that stores write ahead of their tables are left out on both. */
export const diskUse = async (
  rig: Testbed,
  writer: ClickHouseWriter,
  peer: Pool,
): Promise<Readonly<Record<string, number>>> => {
  const node = await rig.eventStore();
  const [parts] = await writer.rows<Record<'coffee' | 'all', number>>(
    `SELECT toFloat64(sumIf(bytes_on_disk, table LIKE 'coffee%')) AS coffee, toFloat64(sum(bytes_on_disk)) AS all
     FROM system.parts WHERE active AND database = '${writer.database}'`,
  );
  const { coffee, all } = parts!;
  const { rows } = await peer.query<{ tables: number; all: number }>(
    `SELECT sum(pg_table_size(oid))::float8 AS tables, sum(pg_total_relation_size(oid))::float8 AS all
     FROM pg_class WHERE relname IN ('plays', 'detections')`,
  );
  return {
    'peer, tables and indexes': rows[0]!.all,
    'peer, of which indexes': rows[0]!.all - rows[0]!.tables,
    'system, log and read models': (await bytesIn(node.dir)) + all,
    'system, of which read models': all,
    'system, of which the table of the report': coffee,
  };
};
