import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clickHouseProcess } from '@popsvc/embedded/clickhouse';
import { eventStoreEntry } from '@popsvc/embedded/event-store';
import { startPostgres } from '@popsvc/embedded/postgres';
import {
  choosePort,
  type SupervisedProcess,
  startSupervisedProcess,
  stopInReverseOrder,
} from '@popsvc/embedded/supervisor';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { type Append, createAppender } from './read-model-oracle.ts';

/** The soak test's own connections to the stores. */
export interface Stores {
  readonly append: Append;
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly writer: ClickHouseWriter;
  close(): Promise<void>;
}

interface Secrets {
  readonly postgres: string;
  readonly clickhouseWriter: string;
}

interface Urls {
  readonly eventStore: string;
  readonly postgres: string;
  readonly clickhouse: string;
}

const writerName = 'popsvc_writer';
const readSecrets = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Secrets;

const createClients = (urls: Urls, { clickhouseWriter }: Secrets, parts: readonly SupervisedProcess[]): Stores => {
  const store = openEventStore({ url: urls.eventStore });
  const writer = openClickHouseWriter({ url: urls.clickhouse, username: writerName, password: clickhouseWriter });
  const postgres = openPostgres({ url: urls.postgres, log: createLog('soak', 'silent'), name: 'soak' });
  return {
    store,
    writer,
    postgres,
    append: createAppender(store),
    async close() {
      await Promise.allSettled([store.close(), writer.close(), postgres.end()]);
      await stopInReverseOrder(parts);
    },
  };
};

export const connectStores = (
  dataDir: string,
  endpoints: Readonly<Record<'event_store' | 'clickhouse' | 'postgres', string>>,
): Stores => {
  const secrets = readSecrets(dataDir);
  const postgres = `postgresql://popsvc:${secrets.postgres}@${endpoints.postgres}/popsvc`;
  return createClients({ eventStore: endpoints.event_store, clickhouse: endpoints.clickhouse, postgres }, secrets, []);
};

/** Starts the stores without the service's other processes, so only the soak test writes to them. `close` stops the stores. */
export const startStores = async (dataDir: string): Promise<Stores> => {
  const secrets = readSecrets(dataDir);
  const [eventStorePort, clickhousePort] = [await choosePort(0, 'any'), await choosePort(0, 'any')];
  const users = [{ name: writerName, password: secrets.clickhouseWriter, role: 'writer' as const }];
  const folderOf = (name: string) => join(dataDir, name);
  const parts = await Promise.all([
    startPostgres({ dataDir: folderOf('postgres'), port: 0, password: secrets.postgres }),
    startSupervisedProcess({
      name: 'event-store',
      run: { entry: eventStoreEntry },
      env: { EVENT_STORE_DIR: folderOf('event-store'), EVENT_STORE_PORT: String(eventStorePort) },
      ready: 'json-line',
      restart: false,
    }),
    startSupervisedProcess({
      ...clickHouseProcess({ dir: folderOf('clickhouse'), port: clickhousePort, users }),
      restart: false,
    }),
  ]);
  const urls = {
    eventStore: `esdb://127.0.0.1:${eventStorePort}?tls=false`,
    clickhouse: `http://127.0.0.1:${clickhousePort}/popsvc`,
    postgres: parts[0].url,
  };
  return createClients(urls, secrets, parts);
};
