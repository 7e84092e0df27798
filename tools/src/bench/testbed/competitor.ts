import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { streamPrefixes } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { createApiKey } from '@popsvc/http-kit/auth';
import { type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { allProjections } from '@popsvc/projectors/projections';
import { coffee } from '@popsvc/read-models/tables';
import type { Pool } from 'pg';
import { insertDetections, insertPlays } from '../competitor/inserts.ts';
import { createCompetitorDatabase, openCompetitorPool } from '../competitor/database.ts';
import { seedApiKey, seedRegistry } from '../competitor/seed.ts';
import { cpuUsWithChildren, type CpuMeter } from '../harness/process-usage.ts';
import { fillMonth, fillRegistry } from '../traffic/fill-log.ts';
import { monthBatches, type Month } from '../traffic/month.ts';
import { network, registry, unlimitedRates, vendor } from '../traffic/network.ts';
import { postgresServerPid, withPostgres } from './engines.ts';
import { openProjector, findProjection } from './projector.ts';
import type { Rig } from './testbed.ts';
import type { RunningService } from './service.ts';

/** The running competitor. Its PostgreSQL database, which popsvc does not use, contains the benchmark's networks. */
export interface Competitor {
  readonly url: string;
  readonly headers: Readonly<Record<'x-api-key', string>>;
  /** Connections of the benchmark process to the competitor's database. */
  readonly pool: Pool;
  readonly meters: Readonly<Record<'competitor' | 'postgres', CpuMeter>>;
}

export const startCompetitor = async (rig: Rig): Promise<Competitor> => {
  const databaseUrl = await createCompetitorDatabase(await rig.postgres());
  const pool = openCompetitorPool(databaseUrl);
  rig.onClose(() => pool.end());
  await seedRegistry(pool, RegistryFile.parse(registry));
  const apiKey = `${vendor}_sk_${randomUUID()}`;
  await seedApiKey(pool, apiKey, network, vendor);
  const worker = rig.worker(new URL('../competitor/competitor.main.js', import.meta.url));
  const port = await worker.request<number>(databaseUrl);
  const server = await postgresServerPid(pool);
  return {
    url: `http://127.0.0.1:${port}`,
    headers: { 'x-api-key': apiKey },
    pool,
    meters: { competitor: worker.pid, postgres: () => cpuUsWithChildren(server) },
  };
};

interface BothSides {
  readonly competitor: Competitor;
  readonly service: RunningService;
  readonly headers: Competitor['headers'];
  readonly writer: ClickHouseWriter;
}

/**
 * Loads the same month of data, in the same order, into popsvc and the competitor. Then merges the parts of popsvc's `coffee`
 * table and vacuums the competitor's tables.
 */
export const loadMonth = async (rig: Rig, data: Month): Promise<BothSides> => {
  const competitor = await startCompetitor(rig);
  const projector = await openProjector(rig);
  const registered = await fillRegistry(projector.store);
  for (const projection of allProjections.filter(({ streams }) => streams.includes(streamPrefixes.registry)))
    await projector.run(projection, 1, registered);
  await projector.run(findProjection('coffee'), 1, await fillMonth(projector.store, data));
  await projector.writer.run(`OPTIMIZE TABLE ${generationTable(coffee, 1)} FINAL`, { timeoutMs: 300_000 });

  const sender = { networkId: network, vendor };
  for (const { plays, people } of monthBatches(data, 500)) {
    await insertPlays(competitor.pool, sender, plays);
    await insertDetections(competitor.pool, sender, people);
  }
  await competitor.pool.query('VACUUM (ANALYZE)');

  const key = await withPostgres(await rig.postgres(), (postgres) =>
    createApiKey(postgres, { vendor, networkId: network, ...unlimitedRates }),
  );
  return {
    competitor,
    service: await rig.service('query-api'),
    headers: { 'x-api-key': key.apiKey },
    writer: projector.writer,
  };
};

/** Returns the disk space that all files in a folder and its subfolders use, in bytes. */
export const bytesIn = async (dir: string): Promise<number> => {
  let bytes = 0;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).blocks * 512;
  return bytes;
};

/** Reads the disk space that popsvc and the competitor use for data, in bytes; write-ahead logs are not included. */
export const readDiskUse = async (rig: Rig, writer: ClickHouseWriter, competitor: Pool) => {
  const node = await rig.eventStore();
  const [parts] = await writer.rows<Record<'coffee' | 'all', number>>(
    `SELECT toFloat64(sumIf(bytes_on_disk, table LIKE 'coffee%')) AS coffee, toFloat64(sum(bytes_on_disk)) AS all
     FROM system.parts WHERE active AND database = '${writer.database}'`,
  );
  const { coffee, all } = parts!;
  const { rows } = await competitor.query<{ tables: number; all: number }>(
    `SELECT sum(pg_table_size(oid))::float8 AS tables, sum(pg_total_relation_size(oid))::float8 AS all
     FROM pg_class WHERE relname IN ('plays', 'detections')`,
  );
  return {
    'competitor, tables and indexes': rows[0]!.all,
    'competitor, of which indexes': rows[0]!.all - rows[0]!.tables,
    'system, log and read models': (await bytesIn(node.dir)) + all,
    'system, of which read models': all,
    'system, of which the table of the report': coffee,
  };
};
