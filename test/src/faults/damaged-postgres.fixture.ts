import { join } from 'node:path';
import { findDamagedTables, migrate, openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { Client } from 'pg';
import { judgeRefusal, type Verdict } from './damage-rounds.fixture.ts';
import type { Damage } from './damaged-files.fixture.ts';
import { startDatabase } from './engine-processes.fixture.ts';

const log = createLog('test', 'silent');

/** The rows of each table, read once without and once with indexes. */
export type TableContents = Readonly<Record<string, string>>;

const tablesSql = `SELECT table_name AS name, string_agg(column_name, ', ' ORDER BY ordinal_position) AS key
  FROM information_schema.tables
  LEFT JOIN (SELECT * FROM information_schema.table_constraints WHERE constraint_type = 'PRIMARY KEY') AS keys
    USING (table_schema, table_name)
  LEFT JOIN information_schema.key_column_usage USING (constraint_name, table_schema, table_name)
  WHERE table_schema = current_schema() GROUP BY table_name ORDER BY table_name`;

const scans = {
  'without indexes': 'SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_seqscan = on',
  'with indexes': 'SET enable_indexscan = on; SET enable_indexonlyscan = on; SET enable_seqscan = off',
};

/** Reads all tables of the service. */
export const readTables = async (url: string): Promise<TableContents> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string; key: string | null }>(tablesSql);
    const contents: Record<string, string> = {};
    for (const [scan, settings] of Object.entries(scans)) {
      await client.query(settings);
      for (const { name, key } of tables) {
        const order = key === null ? '' : ` ORDER BY ${key}`;
        const { rows } = await client.query<{ row: string }>(`SELECT each::text AS row FROM ${name} AS each${order}`);
        const texts = rows.map(({ row }) => row).sort();
        contents[`${name}, ${scan}`] = `${texts.length} rows\n${texts.join('\n')}`;
      }
    }
    return contents;
  } finally {
    await client.end();
  }
};

/** Does what a start of the service and the doctor do. */
const findProblem = async (url: string): Promise<string | undefined> => {
  const postgres = openPostgres({ url, log, name: 'test' });
  try {
    await migrate(postgres);
    const [damaged] = await findDamagedTables(postgres, 60_000);
    return damaged && `${damaged.table}: ${damaged.reason}`;
  } finally {
    await postgres.end();
  }
};

/** Starts PostgreSQL on a damaged folder and reads all its tables. */
export const useDamagedDatabase = async (dataDir: string, damage: Damage, before: TableContents): Promise<Verdict> => {
  let server;
  try {
    server = await startDatabase(join(dataDir, 'postgres'));
    const problem = await findProblem(server.url);
    if (problem !== undefined) return { outcome: 'reported', detail: problem };
    const now = await readTables(server.url);
    const table = [...new Set([...Object.keys(before), ...Object.keys(now)])].find(
      (name) => before[name] !== now[name],
    );
    if (table === undefined) return { outcome: 'harmless', detail: '' };
    const found = now[table]?.slice(0, 200) ?? 'does not exist';
    return { outcome: 'silent', detail: `${table}: ${found}, instead of ${String(before[table]?.slice(0, 200))}` };
  } catch (error) {
    const verdict = judgeRefusal(damage, error instanceof Error ? error.message : String(error));
    return server && verdict.outcome === 'refused' ? { ...verdict, outcome: 'reported' } : verdict;
  } finally {
    await server?.stop();
  }
};
