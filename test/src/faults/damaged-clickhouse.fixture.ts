import { onlyShard } from '@popsvc/domain/partitioning';
import { join } from 'node:path';
import { startRevocationWatch } from '@popsvc/http-kit/auth';
import {
  type ClickHouseReader,
  openClickHouseReader,
  openClickHouseWriter,
  type ClickHouseWriter,
  Sql,
} from '@popsvc/platform/clickhouse';
import type { PostgresServer } from '@popsvc/embedded/postgres';
import { openPostgres, type Postgres, readGenerations } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { createQueryApi } from '@popsvc/query-api/service';
import {
  createDamageReporter,
  openGenerations,
  rejectUnreadableTables,
  watchForDamage,
} from '@popsvc/read-models/generations';
import { damagedCause } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { createPostgresDatabase, databaseUrl } from '../support/engines.ts';
import { judgeRefusal, type Verdict } from './damage-rounds.fixture.ts';
import type { Damage } from './damaged-files.fixture.ts';
import { copyEngine, startClickHouse, startDatabase } from './engine-processes.fixture.ts';
import { secretSealer } from '../support/test-sealer.ts';

const log = createLog('test', 'silent');

/** The response to each report, and the rows of each table and view. An error begins with `error`. */
export type ReadModels = Readonly<Record<string, string>>;

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const paths = [
  `/api/v1/coffee/download?${window}`,
  `/api/v1/watcher-summary/download?${window}`,
  '/api/v1/devices/status',
  '/api/v1/feeders/status',
  `/api/v1/device-apps/4/player/uptime?${window}`,
  '/popsvc/v1/pop/events/p-7',
];

const isError = (text: string) => text.startsWith('error');

const readReports = async (reader: ClickHouseReader, postgres: Postgres, apiKey: string): Promise<ReadModels> => {
  const watch = await startRevocationWatch(postgres, { log });
  const api = createQueryApi({
    shards: [{ shard: onlyShard, reader }],
    postgres,
    secretSealer,
    watch,
    log,
    metrics: createMetrics('test'),
  });
  const url = `http://127.0.0.1:${await api.listen({ port: 0, host: '127.0.0.1' })}`;
  const reports: Record<string, string> = {};
  for (const path of paths) {
    const response = await fetch(`${url}${path}`, { headers: { 'x-api-key': apiKey } });
    const text = await response.text().catch((error: unknown) => `cut off: ${String(error)}`);
    const isWhole = response.status === 200 && !text.startsWith('cut off');
    reports[path] = isWhole ? text : `error ${response.status} ${text}`;
  }
  await api.close();
  watch.stop();
  return reports;
};

/** Reads all rows of the tables and views as the reports do: not those that are recorded as damaged. */
const readRelations = async (reader: ClickHouseReader, postgres: Postgres): Promise<ReadModels> => {
  const guarded = rejectUnreadableTables(reader, createDamageReporter(postgres, log));
  const relations = allProjections.flatMap(({ tables, views = [] }) => [...tables, ...views].map(({ name }) => name));
  const rows: Record<string, string> = {};
  for (const name of relations) {
    // Damaged ranges are pending until their rows are derived again.
    const where = name.endsWith('_pending') ? `WHERE cause != '${damagedCause}'` : '';
    const query = new Sql([`SELECT * FROM ${name}_live ${where} ORDER BY ALL`], [], new Map([[name, 'all']]));
    rows[name] = await guarded.rows(query).then(JSON.stringify, (error: unknown) => {
      const { message, cause } = error as Error;
      return `error: ${message} ${cause instanceof Error ? cause.message : ''}`;
    });
  }
  return rows;
};

const describeRecordedDamage = async (postgres: Postgres): Promise<string | undefined> => {
  const damage = (await readGenerations(postgres)).flatMap((each) => [...each.damage, ...each.healing]);
  return damage.length === 0
    ? undefined
    : damage.map(({ table, part, problem }) => `${table} ${part ?? ''}: ${problem}`).join('; ');
};

/** Runs the watch of the projectors until it has checked the tables that failed queries read. Returns the damage that it recorded. */
const watchOnce = async (postgres: Postgres, writer: ClickHouseWriter): Promise<string | undefined> => {
  const stop = new AbortController();
  const nothing = () => Promise.resolve();
  const watching = watchForDamage(
    { postgres, writer, log, projections: allProjections, verifyRun: nothing, onDamage: nothing },
    stop.signal,
  );
  await waitUntil(
    async () => (await postgres.query('SELECT 1 FROM suspected_tables')).rowCount,
    (suspected) => suspected === 0,
    10_000,
  ).catch(() => undefined);
  stop.abort();
  await watching;
  return describeRecordedDamage(postgres);
};

interface Opened {
  readonly postgres: Postgres;
  readonly writer: ClickHouseWriter;
  readonly reader: ClickHouseReader;
}

/** Starts ClickHouse on a folder and verifies its tables, as the projectors do. */
const withReadModels = async <T>(dataDir: string, databaseUrl: string, work: (opened: Opened) => Promise<T>) => {
  const clickHouse = await startClickHouse(join(dataDir, 'clickhouse'));
  const { url } = clickHouse;
  const postgres = openPostgres({ url: databaseUrl, log, name: 'test' });
  const writer = openClickHouseWriter({ url, ...clickHouse.writer });
  const reader = openClickHouseReader({ url, ...clickHouse.reader });
  try {
    await openGenerations({ postgres, writer, log }, allProjections);
    return await work({ postgres, writer, reader });
  } finally {
    await Promise.allSettled([reader.close(), writer.close(), postgres.end()]);
    await clickHouse.process.stop();
  }
};

/** Reads all reports, tables and views. */
export const readReadModels = async (
  { reader, postgres }: Pick<Opened, 'reader' | 'postgres'>,
  apiKey: string,
): Promise<ReadModels> => ({
  ...(await readReports(reader, postgres, apiKey)),
  ...(await readRelations(reader, postgres)),
});

/** Read models, and a PostgreSQL server with the lists of their parts. Each round gets a copy of its database. */
export interface ReadModelRounds {
  useDamaged(dataDir: string, damage: Damage): Promise<Verdict>;
  stop(): Promise<void>;
}

/** Copies the database of the service. PostgreSQL copies a database only while it has no connections. */
const copyDatabase = async (server: PostgresServer): Promise<string> => {
  const admin = { url: databaseUrl(server, 'template1') };
  return databaseUrl(server, await createPostgresDatabase(admin, 'popsvc'));
};

interface PreparedReadModels {
  readonly dataDir: string;
  readonly apiKey: string;
  readonly content: { readonly readModels: ReadModels };
}

export const openReadModelRounds = async ({
  dataDir,
  apiKey,
  content,
}: PreparedReadModels): Promise<ReadModelRounds> => {
  const server = await startDatabase(join(await copyEngine(dataDir, 'postgres'), 'postgres'));
  const before = content.readModels;
  for (const [name, text] of Object.entries(before)) if (isError(text)) throw new Error(`${name}: ${text}`);

  const judge = async (opened: Opened): Promise<Verdict> => {
    const { postgres, writer } = opened;
    const now = await readReadModels(opened, apiKey);
    const different = Object.keys(before).find((name) => !isError(now[name]!) && now[name] !== before[name]);
    if (different !== undefined)
      return {
        outcome: 'silent',
        detail: `${different}: ${now[different]!.slice(0, 200)}; recorded: ${await describeRecordedDamage(postgres)}`,
      };
    const failed = Object.keys(before).filter((name) => isError(now[name]!));
    if (failed.length === 0) {
      const damage = await describeRecordedDamage(postgres);
      return damage === undefined ? { outcome: 'harmless', detail: '' } : { outcome: 'reported', detail: damage };
    }
    const detail = failed.map((name) => `${name}: ${now[name]!.slice(0, 150)}`).join('; ');
    const damage = await watchOnce(postgres, writer);
    return damage === undefined ? { outcome: 'unreported', detail } : { outcome: 'reported', detail: damage };
  };
  return {
    useDamaged: async (dataDir, damage) =>
      withReadModels(dataDir, await copyDatabase(server), judge).catch((error: unknown) =>
        judgeRefusal(damage, error instanceof Error ? error.message : String(error)),
      ),
    stop: () => server.stop(),
  };
};
