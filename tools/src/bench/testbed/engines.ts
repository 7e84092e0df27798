import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { clickHouseProcess } from '@popsvc/embedded/clickhouse';
import { eventStoreEntry } from '@popsvc/embedded/event-store';
import { startPostgres } from '@popsvc/embedded/postgres';
import { startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { migrate, openPostgres, type Postgres, type Queryable } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';

export interface ClickHouseUser {
  readonly username: string;
  readonly password: string;
}

export interface ClickHouse {
  /** URL whose path is the name of the database. */
  readonly url: string;
  readonly writer: ClickHouseUser;
  readonly reader: ClickHouseUser;
  readonly pid: number;
  stop(): Promise<void>;
}

const user = (username: string): ClickHouseUser => ({ username, password: randomBytes(12).toString('hex') });

export const startClickHouse = async (dir: string): Promise<ClickHouse> => {
  const users = { writer: user('popsvc_writer'), reader: user('popsvc_reader') };
  const part = await startSupervisedProcess({
    ...clickHouseProcess({
      dir,
      port: 0,
      users: (['writer', 'reader'] as const).map((role) => ({
        name: users[role].username,
        password: users[role].password,
        role,
      })),
    }),
    restart: false,
  });
  const url = `http://127.0.0.1:${String(part.readyLine()?.['port'])}/popsvc`;
  return { url, ...users, pid: part.pid()!, stop: () => part.stop() };
};

export interface EventStoreNode {
  readonly url: string;
  readonly pid: number;
  /** Folder that contains the event store's files. */
  readonly dir: string;
  stop(): Promise<void>;
}

export const startEventStore = async (dir: string): Promise<EventStoreNode> => {
  const part = await startSupervisedProcess({
    name: 'event-store',
    run: { entry: eventStoreEntry },
    env: { EVENT_STORE_DIR: dir, EVENT_STORE_PORT: '0' },
    ready: 'json-line',
    restart: false,
  });
  const url = `esdb://127.0.0.1:${String(part.readyLine()?.['port'])}?tls=false`;
  return { url, pid: part.pid()!, dir, stop: () => part.stop() };
};

export const silentLog = createLog('bench', 'silent');

/** Starts PostgreSQL and creates the service's schema. */
export const startMigratedPostgres = async (dir: string): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const server = await startPostgres({ dataDir: dir, port: 0, password: randomBytes(12).toString('hex') });
  await withPostgres(server.url, (postgres) => migrate(postgres));
  return { url: server.url, stop: () => server.stop() };
};

/** Runs a function with a connection pool and closes the pool. */
export const withPostgres = async <Result>(
  url: string,
  work: (postgres: Postgres) => Promise<Result>,
): Promise<Result> => {
  const postgres = openPostgres({ url, log: silentLog, name: 'bench' });
  try {
    return await work(postgres);
  } finally {
    await postgres.end();
  }
};

/**
 * Reads the process id of the PostgreSQL server: the parent of the process that serves this database session. This works even if
 * a supervisor started the server.
 */
export const postgresServerPid = async (database: Queryable): Promise<number> => {
  const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const stat = readFileSync(`/proc/${rows[0]!.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
};
