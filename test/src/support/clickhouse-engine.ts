import { randomBytes } from 'node:crypto';
import { clickHouseEntry, clickHouseEnv } from '@popsvc/embedded/clickhouse';
import { choosePort, startPart } from '@popsvc/embedded/supervise';
import { askClickHouse, type Credentials } from './ask-clickhouse.ts';
import { room } from './room.ts';
import { whenRunEnds } from './run-end.ts';

/** The run's ClickHouse server, shared by all suites. */
export interface TestClickHouse {
  readonly url: string;
  readonly writer: Credentials;
  readonly reader: Credentials;
  readonly analyst: Credentials;
  /** A new, empty database; its name begins with `popsvc_test_`. */
  database(): Promise<string>;
}

const credentials = (username: string): Credentials => ({ username, password: randomBytes(12).toString('hex') });

/** A server of its own, for suites that end it. */
export interface MortalClickHouse extends TestClickHouse {
  /** Ends it as a crash does. */
  kill(): void;
}

let shared: Promise<TestClickHouse> | undefined;

/** Started when the first suite asks for it. */
export const clickhouse = (): Promise<TestClickHouse> => (shared ??= start());

export const mortalClickHouse = (): Promise<MortalClickHouse> => start({ restart: false });

const start = async (how: { readonly restart?: false } = {}): Promise<MortalClickHouse> => {
  const users = {
    writer: credentials('popsvc_writer'),
    reader: credentials('popsvc_reader'),
    analyst: credentials('analyst'),
  };
  const port = await choosePort(0, 'EMBEDDED_CLICKHOUSE_PORT');
  const part = await startPart({
    name: 'clickhouse',
    run: { entry: clickHouseEntry },
    env: clickHouseEnv({
      dir: await room('clickhouse'),
      port,
      users: (['writer', 'reader', 'analyst'] as const).map((role) => ({
        name: users[role].username,
        password: users[role].password,
        role,
      })),
    }),
    ready: 'json-line',
    ...how,
  });
  whenRunEnds(() => part.stop());
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    ...users,
    database: () => createDatabase(url, users.writer),
    kill: () => void process.kill(part.pid()!, 'SIGKILL'),
  };
};

const createDatabase = async (url: string, writer: Credentials): Promise<string> => {
  const name = `popsvc_test_${randomBytes(6).toString('hex')}`;
  const { ok, text } = await askClickHouse(url, writer, `CREATE DATABASE ${name}`);
  if (!ok) throw new Error(text);
  return name;
};
