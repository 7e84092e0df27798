import { type CommandApiDependencies, createCommandApi, type UploadSettings } from '@popsvc/command-api/service';
import { createApiKeyVerifier, createApiKey, createAuthenticator, startRevocationWatch } from '@popsvc/http-kit/auth';
import { type EventStore, type LogEvent, openEventStore } from '@popsvc/platform/event-store';
import type { ServerLimits } from '@popsvc/http-kit/server';
import type { ExternalObjectStore } from '@popsvc/platform/object-storage';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { type Clock } from '@popsvc/platform/runtime';
import { createLog, createMetrics, type Registry } from '@popsvc/platform/telemetry';
import { type LogItem, splitEvent } from '@popsvc/projectors/engine';
import { waitUntil } from '@popsvc/tools/rig';
import { generousIntake } from '../support/generous-intake.ts';
import { startTestEventStore, sharedPostgres, type TestEventStore } from '../support/engines.ts';
import { testUploads } from '../support/uploads.ts';
import { sender, type Sender } from './sender.fixture.ts';

export interface TestCommandApi {
  readonly node: TestEventStore;
  readonly store: EventStore;
  readonly databaseUrl: string;
  readonly postgres: Postgres;
  readonly metrics: Registry;
  /** The folder of uploaded files. */
  readonly uploadsDir: string;
  readonly baseUrl: string;
  /** Sends with a key of network 1, vendor acme. */
  readonly send: Sender;
  /** Creates another key; default: network 1, vendor acme. */
  newKey(network?: number, vendor?: string): Promise<{ readonly apiKey: string; readonly send: Sender }>;
  events(stream: string): Promise<readonly LogEvent[]>;
  /** The items of the events of a stream. */
  items(stream: string): Promise<readonly LogItem[]>;
  /** Waits until the service has read the registry and the mappings. Before that it sends no warnings and tries no mappings. */
  untilReady(): Promise<void>;
  close(): Promise<void>;
}

export interface TestCommandApiOptions {
  readonly clock?: Clock;
  /** An empty database. Default a new one on the server that all suites share. */
  readonly databaseUrl?: string;
  readonly maxAgeDays?: number;
  readonly queryApiUrl?: string;
  readonly limits?: Partial<ServerLimits>;
  readonly timeouts?: CommandApiDependencies['timeouts'];
  readonly rateClock?: () => number;
  readonly uploads?: Partial<UploadSettings>;
  /** Default: files on disk. */
  readonly objects?: ExternalObjectStore;
  /** Whether the upload life cycle runs. */
  readonly runsUploadLifecycle?: boolean;
  /** Wraps the event store that the service uses. */
  readonly between?: (real: EventStore) => EventStore;
}

const schema = async (url: string) => {
  const postgres = openPostgres({ url, log: createLog('test', 'silent'), name: 'test' });
  await migrate(postgres);
  await postgres.end();
};

export const freshRecordsUrl = async (): Promise<string> => (await sharedPostgres()).freshDatabase(schema);

/** Runs command-api in this process on a real event store and a real PostgreSQL. */
export const commandApi = async (options: TestCommandApiOptions = {}): Promise<TestCommandApi> => {
  const { between = (real: EventStore) => real, clock, maxAgeDays, rateClock, runsUploadLifecycle = false } = options;
  const log = createLog('test', process.env['TEST_LOG'] === '1' ? 'warn' : 'silent');
  const node = await startTestEventStore();
  const databaseUrl = options.databaseUrl ?? (await freshRecordsUrl());
  if (options.databaseUrl !== undefined) await schema(databaseUrl);
  const postgres = openPostgres({ url: databaseUrl, log, name: 'test', connections: 10 });
  const postgresOfCredentials = openPostgres({ url: databaseUrl, log, name: 'test-credentials', connections: 3 });
  const store = openEventStore({ url: node.url });
  const watch = await startRevocationWatch(postgresOfCredentials, { log });
  const metrics = createMetrics('command-api');
  const { dir: uploadsDir, objects, uploads } = await testUploads(options.uploads);
  const api = createCommandApi({
    store: between(store),
    postgres,
    postgresOfCredentials,
    authenticate: createAuthenticator({ apiKeys: createApiKeyVerifier(postgresOfCredentials, watch) }),
    log,
    metrics,
    maxAgeDays,
    queryApiUrl: options.queryApiUrl ?? 'http://127.0.0.1:1',
    objects: options.objects ?? objects,
    uploads,
    runsUploadLifecycle,
    ...(clock && { clock }),
    ...(rateClock && { rateClock }),
    timeouts: { ...generousIntake.timeouts, ...options.timeouts },
    limits: { ...generousIntake.limits, ...options.limits },
  });
  const baseUrl = `http://127.0.0.1:${await api.listen({ port: 0, host: '127.0.0.1' })}`;
  const newKey = async (network = 1, vendor = 'acme') => {
    const { apiKey } = await createApiKey(postgres, { vendor, networkId: network });
    return { apiKey, send: sender(baseUrl, apiKey) };
  };
  const events = async (stream: string) => {
    const found: LogEvent[] = [];
    for await (const event of store.readStream(stream)) found.push(event);
    return found;
  };
  return {
    node,
    store,
    databaseUrl,
    postgres,
    metrics,
    uploadsDir,
    baseUrl,
    send: (await newKey()).send,
    newKey,
    events,
    items: async (stream) => (await events(stream)).flatMap(splitEvent),
    async untilReady() {
      await waitUntil(
        () => fetch(`${baseUrl}/readyz`),
        ({ ok }) => ok,
      );
    },
    async close() {
      await api.close();
      watch.stop();
      await store.close();
      await postgres.end();
      await postgresOfCredentials.end();
      await node.stop();
    },
  };
};
