import { randomBytes } from 'node:crypto';
import { clickHouseEntry, buildClickHouseEnv } from '@popsvc/embedded/clickhouse';
import { choosePort, type ProcessOptions, startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { queryClickHouse, type Credentials } from './query-clickhouse.ts';
import { temporaryFolder, whenRunEnds } from '@popsvc/tools/rig';

/** The run's ClickHouse server, shared by all suites. */
export interface TestClickHouse {
  readonly url: string;
  /** Where analysts ask. */
  readonly analystsUrl: string;
  readonly writer: Credentials;
  readonly reader: Credentials;
  readonly analyst: Credentials;
  /** A new, empty database; its name begins with `popsvc_test_`. */
  database(): Promise<string>;
}

const credentials = (username: string): Credentials => ({ username, password: randomBytes(12).toString('hex') });

/** A server of its own, for suites that end it. */
export interface KillableClickHouse extends TestClickHouse {
  /** Ends it as a crash does. */
  kill(): void;
  /** Starts it again on its folder and port, once it has ended. */
  restart(): Promise<void>;
}

let shared: Promise<TestClickHouse> | undefined;

/** Started when the first suite asks for it. */
export const sharedClickHouse = (): Promise<TestClickHouse> => (shared ??= start());

export const killableClickHouse = (): Promise<KillableClickHouse> => start({ restart: false });

interface How {
  readonly restart?: false;
  /** Besides the one of the system. */
  readonly analysts?: readonly Credentials[];
}

/** A server with analysts of its own. */
export const clickHouseWithAnalysts = (analysts: readonly Credentials[]): Promise<TestClickHouse> =>
  start({ analysts });

const start = async ({ analysts = [], ...how }: How = {}): Promise<KillableClickHouse> => {
  const users = {
    writer: credentials('popsvc_writer'),
    reader: credentials('popsvc_reader'),
    analyst: credentials('analyst'),
  };
  const port = await choosePort(0, 'EMBEDDED_CLICKHOUSE_PORT');
  const analystsPort = await choosePort(0, 'EMBEDDED_ANALYSTS_PORT');
  const options: ProcessOptions = {
    name: 'clickhouse',
    run: { entry: clickHouseEntry },
    env: buildClickHouseEnv({
      dir: await temporaryFolder('clickhouse'),
      port,
      analystsPort,
      users: [
        ...(['writer', 'reader', 'analyst'] as const).map((role) => ({ ...users[role], role })),
        ...analysts.map((who) => ({ ...who, role: 'analyst' as const })),
      ].map(({ username, password, role }) => ({ name: username, password, role })),
    }),
    ready: 'json-line',
    ...how,
  };
  let part = await startSupervisedProcess(options);
  whenRunEnds(() => part.stop());
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    analystsUrl: `http://127.0.0.1:${analystsPort}`,
    ...users,
    database: () => createDatabase(url, users.writer),
    kill: () => void process.kill(part.pid()!, 'SIGKILL'),
    async restart() {
      await part.ended;
      part = await startSupervisedProcess(options);
    },
  };
};

const createDatabase = async (url: string, writer: Credentials): Promise<string> => {
  const name = `popsvc_test_${randomBytes(6).toString('hex')}`;
  const { ok, text } = await queryClickHouse(url, writer, `CREATE DATABASE ${name}`);
  if (!ok) throw new Error(text);
  return name;
};
