import {
  createApiKeyVerifier,
  createAuthenticator,
  startEndedSessions,
  startRevocationWatch,
  createOperatorSessions,
} from '@popsvc/platform/auth';
import { Secret } from '@popsvc/platform/config';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { createServer, jsonResponse, type Route } from '@popsvc/platform/http';
import { openClickHouseReader, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { createAnalystLogins } from '@popsvc/ops-api/analysts';
import { allProjections } from '@popsvc/projectors/projections';
import { type OpsDependencies, opsRoutes } from '@popsvc/ops-api/server';
import { startInProcessEventStore, sharedPostgres } from '../support/engines.ts';

export const operatorToken = 'operator-token-of-tests';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface TestOps {
  readonly baseUrl: string;
  readonly node: Awaited<ReturnType<typeof startInProcessEventStore>>;
  readonly store: EventStore;
  readonly postgres: Postgres;
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Reply>;
  /** Whether a vendor's key is let in where vendors are. */
  letsIn(apiKey: string): Promise<boolean>;
  close(): Promise<void>;
}

const standardLog = createLog('test', process.env['TEST_LOG'] === '1' ? 'warn' : 'silent');

const schema = async (url: string): Promise<void> => {
  const postgres = openPostgres({ url, log: standardLog, name: 'test' });
  await migrate(postgres);
  await postgres.end();
};

/** What the projections tell of themselves in these tests. */
export const standing = {
  name: 'coffee',
  generation: 1,
  state: 'running',
  position: '42',
  lag_events: 0,
  lag_seconds: 0.3,
  parked: 0,
  error: null,
  kept: null,
  outdated: false,
} as const;

/** A zone that this program knows and the engine of these tests does not. */
export const unknownZone = 'Antarctica/Troll';
const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'].filter((zone) => zone !== unknownZone));

/** Nobody listens there: what reads ClickHouse is tested over `serving`. */
const noReader = () => openClickHouseReader({ url: 'http://127.0.0.1:1/none', username: 'x', password: 'x' });

const noWriter = () => openClickHouseWriter({ url: 'http://127.0.0.1:1/none', username: 'x', password: 'x' });

const ingestRoute: Route = {
  method: 'get',
  path: '/vendor',
  summary: 'Lets vendors in.',
  access: 'ingest',
  handle: () => jsonResponse(200, {}),
};

/** The operations routes on a real event store and a real PostgreSQL, beside a route for vendors. */
export const ops = async (
  parts: Partial<OpsDependencies> = {},
  between = (store: EventStore) => store,
): Promise<TestOps> => {
  const { log = standardLog } = parts;
  const [node, server] = await Promise.all([startInProcessEventStore(), sharedPostgres()]);
  const postgres = openPostgres({ url: await server.freshDatabase(schema), log, name: 'test' });
  const store = openEventStore({ url: node.url });
  const watch = await startRevocationWatch(postgres, { log });
  const token = new Secret(operatorToken);
  const ended = startEndedSessions(postgres, { log });
  const sessions = createOperatorSessions(token, { ended });
  const http = createServer({
    routes: [
      ...opsRoutes({
        declarations: allProjections,
        store: between(store),
        postgres,
        reader: noReader(),
        analystLogins: createAnalystLogins(noWriter(), postgres),
        analystsUrl: 'http://127.0.0.1:1',
        log,
        readProjections: () => Promise.resolve([standing]),
        runDiagnostics: () => Promise.resolve([]),
        readTimeZones: () => Promise.resolve(zones),
        sessions,
        ...parts,
      }),
      ingestRoute,
    ],
    authenticate: createAuthenticator({
      operatorToken: token,
      sessions,
      apiKeys: createApiKeyVerifier(postgres, watch),
    }),
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
    async ask(method, path, body, token = operatorToken) {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(`${baseUrl}/ops/v1${path}`, init);
      return { status: response.status, body: await response.json() };
    },
    letsIn: async (apiKey) => (await fetch(`${baseUrl}/vendor`, { headers: { 'x-api-key': apiKey } })).ok,
    async close() {
      await http.close();
      watch.stop();
      ended.stop();
      await Promise.allSettled([store.close(), postgres.end(), node.stop()]);
    },
  };
};
