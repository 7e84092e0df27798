import { randomUUID } from 'node:crypto';
import {
  coffee,
  heartbeats,
  intervals,
  liveness,
  plays,
  progress,
  quarantine,
  registryTables,
  currentIntervals,
  watcherSummary,
} from '@popsvc/read-models/tables';
import {
  createLiveView,
  createTable,
  createView,
  openClickHouseReader,
  openClickHouseWriter,
  type Row,
  compileRowBinary,
  type TableDefinition,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import { createDictionary, dictionaries, reloadDictionaries } from '@popsvc/read-models/schema';
import { createApiKey, startRevocationWatch } from '@popsvc/platform/auth';
import { createClient } from '@popsvc/platform/auth/tokens';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { createQueryApi, type QueryApiParts } from '@popsvc/query-api/service';
import { sharedClickHouse, sharedPostgres, type TestClickHouse } from '../support/engines.ts';
import { networkRow, siteRow } from './rows.fixture.ts';

const tables: readonly TableDefinition[] = [
  coffee,
  watcherSummary,
  progress,
  heartbeats,
  intervals,
  liveness,
  plays,
  quarantine,
  ...Object.values(registryTables),
];
const log = createLog('test', 'silent');

export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
}

/** The reporting service over real engines, with a database of its own. */
export interface World {
  readonly url: string;
  readonly database: string;
  readonly writer: ClickHouseWriter;
  readonly postgres: Postgres;
  /** Into the live generation. */
  readonly insert: (table: TableDefinition, rows: readonly Row[]) => Promise<void>;
  /** Registers networks, each with sites. */
  register(networks: readonly { id: number; name: string; sites?: readonly number[] }[]): Promise<void>;
  /** A client of these networks, with a token. */
  client(...networkIds: readonly number[]): Promise<Client>;
  apiKey(networkId: number): Promise<string>;
  get(path: string, headers: Readonly<Record<string, string>>): Promise<Response>;
  close(): Promise<void>;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

interface WorldParts {
  /** An empty one that is there already. */
  readonly database?: string;
  /** Another server than the one that all suites share. */
  readonly engine?: TestClickHouse;
}

export const openWorld = async (parts: Partial<QueryApiParts> & WorldParts = {}): Promise<World> => {
  const [engine, server] = await Promise.all([parts.engine ?? sharedClickHouse(), sharedPostgres()]);
  const database = parts.database ?? (await engine.database());
  const writer = openClickHouseWriter({ url: `${engine.url}/${database}`, ...engine.writer });
  for (const table of tables) {
    await writer.run(createTable(table, 1));
    await writer.run(createLiveView(table, 1));
  }
  await writer.run(createView(currentIntervals, 1));
  // One generation after another: which is live, tests say by what they write.
  await writer.run(`CREATE OR REPLACE VIEW progress_live AS SELECT *, '' AS tables_id FROM progress_g1 FINAL`);
  await writer.run(`CREATE OR REPLACE VIEW incomplete_live AS SELECT '' AS name WHERE 0`);
  for (const dictionary of dictionaries) await writer.run(createDictionary(dictionary, writer));

  const postgres = parts.postgres ?? openPostgres({ url: await server.freshDatabase(prepared), name: 'test', log });
  const watch = await startRevocationWatch(postgres, { log });
  const reader = parts.reader ?? openClickHouseReader({ url: `${engine.url}/${database}`, ...engine.reader });
  const service = createQueryApi({ reader, postgres, watch, log, metrics: createMetrics('test'), ...parts });
  const url = `http://127.0.0.1:${await service.listen({ port: 0, host: '127.0.0.1' })}`;

  const insert: World['insert'] = async (table, rows) => {
    const batch = compileRowBinary(table.fields)();
    for (const row of rows) batch.add(row);
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
      await reloadDictionaries(writer);
    },
    async client(...networkIds) {
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
    },
    apiKey: async (networkId) => (await createApiKey(postgres, { vendor: 'acme', networkId })).apiKey,
    get: (path, headers) => fetch(`${url}${path}`, { headers }),
    async close() {
      await service.close();
      watch.stop();
      await Promise.all([reader.close(), writer.close(), parts.postgres === undefined && postgres.end()]);
    },
  };
};

/** The tables of the records, in an empty database. */
export const prepared = async (url: string): Promise<void> => {
  const postgres = openPostgres({ url, name: 'test', log });
  await migrate(postgres);
  await postgres.end();
};
