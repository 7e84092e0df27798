import { join } from 'node:path';
import { clickHouseEntry, buildClickHouseEnv } from '../clickhouse/index.ts';
import { eventStoreEntry } from '../event-store/index.ts';
import { startPostgres } from '../postgres/index.ts';
import { choosePort, startSupervisedProcess } from '../supervisor/index.ts';
import { analystsIn } from './analysts-in.ts';
import type { StartConfig } from './config.ts';
import type { ProcessGroup } from './house.ts';
import { dropRoutineLines } from './routine-lines.ts';
import type { Secrets } from './secrets.ts';

/** Addresses and credentials of the engines, embedded or not. */
export interface Engines {
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly clickHouseUrl: string;
  /** Where analysts ask; undefined where nobody here knows how they reach an external ClickHouse. */
  readonly analystsUrl?: string | undefined;
  readonly writer: { readonly user: string; readonly password: string };
  readonly reader: { readonly user: string; readonly password: string };
}

const eventStore = async (config: StartConfig, house: ProcessGroup): Promise<string> => {
  if (config.EVENTSTORE_URL) return config.EVENTSTORE_URL.reveal();
  const port = await choosePort(config.EMBEDDED_EVENTSTORE_PORT, 'EMBEDDED_EVENTSTORE_PORT');
  await house.add(
    startSupervisedProcess({
      name: 'event-store',
      run: { entry: eventStoreEntry },
      env: { EVENT_STORE_DIR: join(config.DATA_DIR, 'event-store'), EVENT_STORE_PORT: String(port) },
      ready: 'json-line',
      onLine: house.printLine,
    }),
  );
  return `esdb://127.0.0.1:${port}?tls=false`;
};

const postgres = async (config: StartConfig, secrets: Secrets, house: ProcessGroup): Promise<string> => {
  if (config.DATABASE_URL) return config.DATABASE_URL.reveal();
  const { url } = await house.add(
    startPostgres({
      dataDir: join(config.DATA_DIR, 'postgres'),
      port: config.EMBEDDED_POSTGRES_PORT,
      password: secrets.postgres,
      onLine: dropRoutineLines(house.printLine),
    }),
  );
  return url;
};

type ClickHouse = Omit<Engines, 'eventStoreUrl' | 'databaseUrl'>;

/** Its users are read once, when it starts: so those PostgreSQL knows are asked for before. */
const clickhouse = async (
  config: StartConfig,
  secrets: Secrets,
  house: ProcessGroup,
  databaseUrl: Promise<string>,
): Promise<ClickHouse> => {
  if (config.CLICKHOUSE_URL !== undefined) {
    const user = { user: config.CLICKHOUSE_USER!, password: config.CLICKHOUSE_PASSWORD!.reveal() };
    return { clickHouseUrl: config.CLICKHOUSE_URL, writer: user, reader: user };
  }
  const port = await choosePort(config.EMBEDDED_CLICKHOUSE_PORT, 'EMBEDDED_CLICKHOUSE_PORT');
  const analystsPort = await choosePort(config.EMBEDDED_ANALYSTS_PORT, 'EMBEDDED_ANALYSTS_PORT');
  const { clickhouseWriter, clickhouseReader, clickhouseAnalyst } = secrets;
  const analysts = await analystsIn(await databaseUrl);
  const env = buildClickHouseEnv({
    dir: join(config.DATA_DIR, 'clickhouse'),
    port,
    analystsPort,
    users: [
      { name: 'popsvc_writer', password: clickhouseWriter, role: 'writer' },
      { name: 'popsvc_reader', password: clickhouseReader, role: 'reader' },
      { name: 'analyst', password: clickhouseAnalyst, role: 'analyst' },
      ...analysts.map((login) => ({ ...login, role: 'analyst' as const })),
    ],
  });
  await house.add(
    startSupervisedProcess({
      name: 'clickhouse',
      run: { entry: clickHouseEntry },
      env,
      ready: 'json-line',
      onLine: dropRoutineLines(house.printLine),
    }),
  );
  return {
    clickHouseUrl: `http://127.0.0.1:${port}/popsvc`,
    analystsUrl: `http://127.0.0.1:${analystsPort}`,
    writer: { user: 'popsvc_writer', password: clickhouseWriter },
    reader: { user: 'popsvc_reader', password: clickhouseReader },
  };
};

/** Starts what is not external, all at once, and waits until every engine serves. */
export const startEngines = async (config: StartConfig, secrets: Secrets, house: ProcessGroup): Promise<Engines> => {
  const database = postgres(config, secrets, house);
  const starts = [eventStore(config, house), database, clickhouse(config, secrets, house, database)] as const;
  // The first failure is told only when the others are up or failed too: a start that is left alone could not be stopped.
  await Promise.allSettled(starts);
  const [eventStoreUrl, databaseUrl, read] = await Promise.all(starts);
  return { eventStoreUrl, databaseUrl, ...read };
};
