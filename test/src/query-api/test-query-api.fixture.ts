import { onlyShard } from '@popsvc/domain/partitioning';
import { randomUUID } from 'node:crypto';
import {
  bulkJobs,
  coffee,
  heartbeats,
  intervals,
  liveness,
  derivedCoffee,
  derivedWatcherSummary,
  plays,
  liveGenerationsView,
  progressTable,
  projectionNames,
  quarantine,
  receipts,
  registryTables,
  currentIntervals,
  vendorBalance,
  watcherSummary,
} from '@popsvc/read-models/tables';
import {
  createLiveView,
  createTable,
  createView,
  defineTable,
  field,
  openClickHouseReader,
  openClickHouseWriter,
  type ClickHouseReader,
  type Row,
  compileRowBinary,
  type TableDefinition,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import { markRunVerified } from '@popsvc/read-models/generations';
import { createDictionary, dictionaries, ensureTimeZones, reloadDictionaries } from '@popsvc/read-models/schema';
import { createApiKey, startRevocationWatch } from '@popsvc/http-kit/auth';
import { createClient } from '@popsvc/http-kit/auth/tokens';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { createQueryApi, type QueryApiDependencies } from '@popsvc/query-api/service';
import { sharedClickHouse, sharedPostgres, type TestClickHouse } from '../support/engines.ts';
import { networkRow, siteRow } from './rows.fixture.ts';
import { secretSealer } from '../support/test-sealer.ts';

/** The progress of the live generations: the table behind the views of progress of these tests. */
export const progress = defineTable({
  name: 'progress',
  about: '',
  orderBy: ['projection', 'generation', 'pos'],
  replacing: {},
  fields: {
    projection: field('String', ''),
    generation: field('UInt32', ''),
    pos: field('UInt64', ''),
    as_of: field("DateTime64(3, 'UTC')", ''),
  },
});

const tables: readonly TableDefinition[] = [
  bulkJobs,
  coffee,
  derivedCoffee.pending,
  derivedCoffee.history,
  derivedWatcherSummary.pending,
  derivedWatcherSummary.history,
  watcherSummary,
  progress,
  heartbeats,
  intervals,
  liveness,
  plays,
  quarantine,
  receipts,
  ...Object.values(registryTables),
];
const log = createLog('test', 'silent');

export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
}

/** query-api with a real ClickHouse and PostgreSQL, each with its own database. */
export interface TestQueryApi {
  readonly url: string;
  readonly database: string;
  readonly writer: ClickHouseWriter;
  readonly postgres: Postgres;
  /** Inserts rows into the live generation. */
  readonly insert: (table: TableDefinition, rows: readonly Row[]) => Promise<void>;
  /** Registers networks with their sites. */
  register(networks: readonly { id: number; name: string; sites?: readonly number[] }[]): Promise<void>;
  /** Creates a client of these networks and issues a token. */
  client(...networkIds: readonly number[]): Promise<Client>;
  apiKey(networkId: number): Promise<string>;
  get(path: string, headers: Readonly<Record<string, string>>): Promise<Response>;
  close(): Promise<void>;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/**
 * Creates the views of the live generations and of their progress: the newest generation whose progress the test wrote is live.
 * `split`: the numbers of partitions other than one. Each partition is where the test writes.
 */
export const createProgressViews = async (
  writer: ClickHouseWriter,
  split: Readonly<Record<string, number>> = {},
): Promise<void> => {
  const names = projectionNames.map((projection) => `'${projection}'`);
  const countOf = (projection: string) => `toUInt8(${split[projection] ?? 1})`;
  const counts = projectionNames.map((projection) => `'${projection}', ${countOf(projection)}`);
  await writer.run(`CREATE OR REPLACE VIEW ${liveGenerationsView.name}_live AS
    SELECT projection, max(generation) AS generation, '' AS tables_id, toUInt8(1) AS shards,
      map(${counts.join(', ')})[projection] AS partitions
    FROM (SELECT arrayJoin([${names.join(', ')}]) AS projection, toUInt32(1) AS generation
      UNION ALL SELECT projection, generation FROM progress_g1) GROUP BY projection`);
  for (const projection of projectionNames)
    await writer.run(`CREATE OR REPLACE VIEW ${progressTable(projection)} AS
      SELECT generation, ${countOf(projection)} AS partitions, arrayJoin(range(${countOf(projection)})) AS partition,
        pos, pos AS changed_pos, as_of
      FROM progress_g1 WHERE projection = '${projection}'`);
};

interface TestQueryApiOptions {
  /** An existing empty database. */
  readonly database?: string;
  /** A ClickHouse server other than the shared one. */
  readonly engine?: TestClickHouse;
  /** Default: a reader of the database. */
  readonly reader?: ClickHouseReader;
}

export const startTestQueryApi = async (
  options: Partial<QueryApiDependencies> & TestQueryApiOptions = {},
): Promise<TestQueryApi> => {
  const [engine, server] = await Promise.all([options.engine ?? sharedClickHouse(), sharedPostgres()]);
  const database = options.database ?? (await engine.database());
  const writer = openClickHouseWriter({ url: `${engine.url}/${database}`, ...engine.writer });
  for (const table of tables) {
    await writer.run(createTable(table, 1, {}));
    await writer.run(createLiveView(table, 1));
  }
  for (const view of [currentIntervals, vendorBalance]) await writer.run(createView(view, 1));
  // Tests determine the live generation by the progress they write.
  await createProgressViews(writer);
  await writer.run(`CREATE OR REPLACE VIEW incomplete_live AS SELECT '' AS name, '' AS reason WHERE 0`);
  await writer.run(`CREATE OR REPLACE VIEW damaged_ranges_live AS
    SELECT 'coffee' AS name, network_id, from_at, to_at FROM coffee_pending_g1 FINAL WHERE cause = 'damaged'`);
  await writer.run("CREATE TABLE IF NOT EXISTS verified_runs (verified_at DateTime64(3, 'UTC')) ENGINE = Memory");
  await markRunVerified(writer);
  for (const dictionary of dictionaries) await writer.run(createDictionary(dictionary, writer));
  await ensureTimeZones(writer);

  const postgres =
    options.postgres ?? openPostgres({ url: await server.freshDatabase(migrateDatabase), name: 'test', log });
  const watch = await startRevocationWatch(postgres, { log });
  const reader = options.reader ?? openClickHouseReader({ url: `${engine.url}/${database}`, ...engine.reader });
  const service = createQueryApi({
    shards: [{ shard: onlyShard, reader }],
    postgres,
    secretSealer,
    watch,
    log,
    metrics: createMetrics('test'),
    ...options,
  });
  const url = `http://127.0.0.1:${await service.listen({ port: 0, host: '127.0.0.1' })}`;

  const insert: TestQueryApi['insert'] = async (table, rows) => {
    const batch = compileRowBinary(table.fields)();
    for (const row of rows) batch.add('changed_at' in table.fields ? { changed_at: 0, ...row } : row);
    const columns = Object.keys(table.fields);
    await writer.insert({ table: `${table.name}_g1`, columns, body: batch.body(), token: randomUUID() });
  };
  return {
    url,
    database,
    writer,
    postgres,
    insert,
    async register(networks) {
      await insert(
        registryTables.networks,
        networks.map(({ id, name }) => networkRow({ network_id: id, name })),
      );
      const sites = networks.flatMap(({ id, sites: ids = [] }) =>
        ids.map((site) => siteRow({ network_id: id, site_id: site, name: `Site ${site}` })),
      );
      if (sites.length > 0) await insert(registryTables.sites, sites);
      await reloadDictionaries((query) => writer.run(query));
    },
    client: (...networkIds) => issueToken(url, postgres, networkIds),
    apiKey: async (networkId) => (await createApiKey(postgres, { vendor: 'acme', networkId })).apiKey,
    get: (path, headers) => fetch(`${url}${path}`, { headers }),
    async close() {
      await service.close();
      watch.stop();
      await Promise.all([reader.close(), writer.close(), options.postgres === undefined && postgres.end()]);
    },
  };
};

/** Creates a client of these networks and issues a token at the address of query-api. */
export const issueToken = async (url: string, postgres: Postgres, networkIds: readonly number[]): Promise<Client> => {
  const { client, clientSecret } = await createClient(postgres, { networkIds });
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: clientSecret,
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { clientId: client.clientId, clientSecret, token };
};

/** Creates the tables in an empty PostgreSQL database. */
export const migrateDatabase = async (url: string): Promise<void> => {
  const postgres = openPostgres({ url, name: 'test', log });
  await migrate(postgres);
  await postgres.end();
};
