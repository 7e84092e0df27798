import { createCommandApi } from '@popsvc/command-api/service';
import { apiKeyVerifier, createApiKey, createAuthenticator, createRevocationWatch } from '@popsvc/platform/auth';
import { type EventStore, type LogEvent, openEventStore } from '@popsvc/platform/event-store';
import type { Limits } from '@popsvc/platform/http';
import { migrate, openRecords, type Records } from '@popsvc/platform/records';
import { type Clock, createLog, createMetrics, type Registry } from '@popsvc/platform/runtime';
import { eventStore, postgres, type TestEventStore } from '../support/engines.ts';
import { sender, type Sender } from './sender.fixture.ts';

export interface TestCommandApi {
  readonly node: TestEventStore;
  readonly store: EventStore;
  readonly databaseUrl: string;
  readonly records: Records;
  readonly metrics: Registry;
  readonly baseUrl: string;
  /** A key of network 1, vendor acme. */
  readonly send: Sender;
  /** Another key of the same or another network. */
  newKey(network?: number, vendor?: string): Promise<{ readonly apiKey: string; readonly send: Sender }>;
  events(stream: string): Promise<readonly LogEvent[]>;
  close(): Promise<void>;
}

export interface TestCommandApiOptions {
  readonly clock?: Clock;
  readonly maxAgeDays?: number;
  readonly queryApiUrl?: string;
  readonly limits?: Partial<Limits>;
  /** A store to stand between the service and the real one. */
  readonly between?: (real: EventStore) => EventStore;
}

const schema = async (url: string) => {
  const records = openRecords({ url, log: createLog('test', 'silent'), name: 'test' });
  await migrate(records);
  await records.end();
};

export const freshRecordsUrl = async (): Promise<string> => (await postgres()).freshDatabase(schema);

/** The service in this process, on a real event store and a real PostgreSQL. */
export const commandApi = async (options: TestCommandApiOptions = {}): Promise<TestCommandApi> => {
  const { between = (real: EventStore) => real, clock, maxAgeDays, limits } = options;
  const log = createLog('test', process.env['TEST_LOG'] === '1' ? 'warn' : 'silent');
  const node = await eventStore();
  const databaseUrl = await freshRecordsUrl();
  const records = openRecords({ url: databaseUrl, log, name: 'test', connections: 10 });
  const store = openEventStore({ url: node.url });
  const watch = await createRevocationWatch(records, { log });
  const metrics = createMetrics('command-api');
  const api = createCommandApi({
    store: between(store),
    records,
    authenticate: createAuthenticator({ apiKeys: apiKeyVerifier(records, watch) }),
    log,
    metrics,
    maxAgeDays,
    queryApiUrl: options.queryApiUrl ?? 'http://127.0.0.1:1',
    ...(clock && { clock }),
    ...(limits && { limits }),
  });
  const baseUrl = `http://127.0.0.1:${await api.listen({ port: 0, host: '127.0.0.1' })}`;
  const newKey = async (network = 1, vendor = 'acme') => {
    const { apiKey } = await createApiKey(records, { vendor, networkId: network });
    return { apiKey, send: sender(baseUrl, apiKey) };
  };
  return {
    node,
    store,
    databaseUrl,
    records,
    metrics,
    baseUrl,
    send: (await newKey()).send,
    newKey,
    async events(stream) {
      const events: LogEvent[] = [];
      for await (const event of store.readStream(stream)) events.push(event);
      return events;
    },
    async close() {
      await api.close();
      watch.stop();
      await store.close();
      await records.end();
      await node.stop();
    },
  };
};
