import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BulkIngestQueued, bulkJobStream } from '@popsvc/contracts/events';
import type { MessageBus, BusMetrics, Consumer, Delivery, MessageHandler } from '@popsvc/platform/message-bus';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { startTestEventStore, sharedPostgres, type TestEventStore } from '../support/engines.ts';

export const log = createLog('test', 'silent');

/** A log and a PostgreSQL of their own, for one suite. */
export interface Ground {
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

export const openGround = async (): Promise<Ground> => {
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

/** A new bus, as another process would have it; closed by the suite. */
export type OpenBus = (metrics?: BusMetrics) => MessageBus;

/** Appends events, each in a stream of its own; their ids. */
export const tell = async (
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

export const consumerOf = (given: Partial<Consumer> = {}): Consumer => ({
  name: `test-${randomUUID()}`,
  types: [BulkIngestQueued.type],
  ackTimeoutMs: 10_000,
  maxDeliveries: 5,
  maxInFlight: 10,
  ...given,
});

export interface Listener {
  readonly heard: Delivery[];
  /** Ids, in the order of the first delivery. */
  readonly ids: () => string[];
  stop(): Promise<void>;
}

/** Consumes, keeps what it is brought, and is done with each unless told otherwise. */
export const listen = (
  bus: MessageBus,
  consumer: Consumer,
  handle: MessageHandler = (delivery) => delivery.acknowledge(),
): Listener => {
  const heard: Delivery[] = [];
  const end = new AbortController();
  const consuming = bus.consume(
    consumer,
    (delivery) => {
      heard.push(delivery);
      return handle(delivery);
    },
    end.signal,
  );
  return {
    heard,
    ids: () => [...new Set(heard.map(({ id }) => id))],
    stop() {
      end.abort();
      return consuming;
    },
  };
};

/** Waits until it holds; throws after so long. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>, patienceMs = 20_000) => {
  const end = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await sleep(10);
  }
};
