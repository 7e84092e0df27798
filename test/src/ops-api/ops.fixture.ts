import { onlyShard } from '@popsvc/domain/partitioning';
import {
  createApiKeyVerifier,
  createAuthenticator,
  startAccountWatch,
  startEndedSessions,
  startRevocationWatch,
  createOperatorSessions,
} from '@popsvc/http-kit/auth';
import { Secret } from '@popsvc/platform/config';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { createServer, jsonResponse, type Route } from '@popsvc/http-kit/server';
import { openClickHouseReader, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { createAnalystLogins } from '@popsvc/ops-api/analysts';
import { allProjections } from '@popsvc/projectors/projections';
import { type OpsDependencies, opsRoutes, createRegistryLog, createWrongTokenLimiter } from '@popsvc/ops-api/server';
import { startInProcessEventStore, sharedPostgres } from '../support/engines.ts';
import { secretSealer } from '../support/test-sealer.ts';

export const operatorToken = 'operator-token-of-tests';
/** The configured origin of the console. */
export const consoleOrigin = 'http://console.example:8082';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface TestOps {
  readonly baseUrl: string;
  readonly node: Awaited<ReturnType<typeof startInProcessEventStore>>;
  readonly store: EventStore;
  readonly postgres: Postgres;
  request(method: string, path: string, body?: unknown, token?: string): Promise<Reply>;
  /** Whether the vendors' route accepts an API key. */
  acceptsKey(apiKey: string): Promise<boolean>;
  close(): Promise<void>;
}

const standardLog = createLog('test', process.env['TEST_LOG'] === '1' ? 'warn' : 'silent');

const migrateDatabase = async (url: string): Promise<void> => {
  const postgres = openPostgres({ url, log: standardLog, name: 'test' });
  await migrate(postgres);
  await postgres.end();
};

/** The listed state of a projection without problems. */
export const runningProjection = {
  name: 'coffee',
  generation: 1,
  state: 'running',
  position: '42',
  lag_events: 0,
  lag_seconds: 0.3,
  parked: 0,
  error: null,
  kept: null,
  version: 1,
  outdated: false,
  incomplete_tables: [],
  damaged_tables: [],
  partitions: [
    {
      partition: 0,
      state: 'running',
      owner: 'one',
      position: '42',
      lag_events: 0,
      lag_seconds: 0.3,
      error: null,
    },
  ],
} as const;

/** Fails to connect: specs that read ClickHouse use `startTestServices`. */
const noReader = () => openClickHouseReader({ url: 'http://127.0.0.1:1/none', username: 'x', password: 'x' });

const noWriter = () => openClickHouseWriter({ url: 'http://127.0.0.1:1/none', username: 'x', password: 'x' });

const ingestRoute: Route = {
  method: 'get',
  path: '/vendor',
  summary: 'Accepts requests of vendors.',
  access: 'ingest',
  handle: () => jsonResponse(200, {}),
};

/** Starts the operations routes and a vendors' route on a real event store and PostgreSQL, without ClickHouse. */
export const startTestOps = async (
  overrides: Partial<OpsDependencies> = {},
  wrapStore = (store: EventStore) => store,
): Promise<TestOps> => {
  const { log = standardLog } = overrides;
  const [node, server] = await Promise.all([startInProcessEventStore(), sharedPostgres()]);
  const postgres = openPostgres({ url: await server.freshDatabase(migrateDatabase), log, name: 'test' });
  const store = openEventStore({ url: node.url });
  const watch = await startRevocationWatch(postgres, { log });
  const token = new Secret(operatorToken);
  const ended = startEndedSessions(postgres, { log });
  const accounts = startAccountWatch(postgres, { log });
  const sessions = createOperatorSessions(token, { ended, accounts, consoleOrigins: [consoleOrigin] });
  const wrongTokens = createWrongTokenLimiter();
  const opsStore = wrapStore(store);
  const http = createServer({
    routes: [
      ...opsRoutes({
        declarations: allProjections,
        store: opsStore,
        registryLog: createRegistryLog(opsStore, log),
        fleet: { report: () => Promise.resolve([]) },
        postgres,
        secretSealer,
        reader: noReader(),
        shards: [{ shard: onlyShard, reader: noReader() }],
        analystLogins: createAnalystLogins([noWriter()], { postgres, log }),
        openedAddresses: [],
        analystsUrl: 'http://127.0.0.1:1',
        log,
        readProjections: () => Promise.resolve([runningProjection]),
        runDiagnostics: () => Promise.resolve([]),
        readReplicas: () => Promise.resolve([]),
        shardCount: 1,
        sessions,
        wrongTokens,
        accounts,
        ...overrides,
      }),
      ingestRoute,
    ],
    authenticate: createAuthenticator({
      operatorToken: token,
      sessions,
      apiKeys: createApiKeyVerifier(postgres, watch),
    }),
    wrongCredentials: wrongTokens,
    log,
    checks: {},
    metrics: createMetrics('test'),
  });
  const baseUrl = `http://127.0.0.1:${await http.listen({ port: 0, host: '127.0.0.1' })}`;
  return {
    baseUrl,
    node,
    store,
    postgres,
    async request(method, path, body, token = operatorToken) {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(`${baseUrl}/ops/v1${path}`, init);
      return { status: response.status, body: await response.json() };
    },
    acceptsKey: async (apiKey) => (await fetch(`${baseUrl}/vendor`, { headers: { 'x-api-key': apiKey } })).ok,
    async close() {
      await http.close();
      watch.stop();
      ended.stop();
      accounts.stop();
      await Promise.allSettled([store.close(), postgres.end(), node.stop()]);
    },
  };
};
