import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BulkIngestQueued, bulkJobStream } from '@popsvc/contracts/events';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { startTestEventStore, sharedPostgres, type TestEventStore } from '../support/engines.ts';

export const log = createLog('test', 'silent');

/** An event log and a PostgreSQL database for one suite. */
export interface TestStores {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly node: TestEventStore;
  close(): Promise<void>;
}

const migrated = async (url: string) => {
  const postgres = openPostgres({ url, log, name: 'test' });
  await migrate(postgres);
  await postgres.end();
};

export const openTestStores = async (): Promise<TestStores> => {
  const [node, server] = await Promise.all([startTestEventStore(), sharedPostgres()]);
  const url = await server.freshDatabase(migrated);
  const store = openEventStore({ url: node.url });
  const postgres = openPostgres({ url, log, name: 'test', connections: 10 });
  return {
    store,
    postgres,
    node,
    async close() {
      await store.close();
      await postgres.end();
      await node.stop();
    },
  };
};

/** Appends events, up to 500 per stream, and returns their ids. */
export const appendEvents = async (
  store: EventStore,
  count: number,
  type: string = BulkIngestQueued.type,
): Promise<string[]> => {
  const receivedAt = new Date().toISOString();
  const metadata = { schemaVersion: 1, receivedAt, network: 7, vendor: 'acme' };
  const events = Array.from({ length: count }, (_, n) => ({ id: randomUUID(), type, data: { n }, metadata }));
  for (let from = 0; from < count; from += 500)
    await store.append(bulkJobStream(randomUUID()), events.slice(from, from + 500));
  return events.map(({ id }) => id);
};

/** Waits until a condition holds; throws after the timeout. */
export const waitFor = async (what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 60_000) => {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(10);
  }
};
