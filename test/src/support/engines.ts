import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { clickHouseProcess } from '@popsvc/embedded/clickhouse';
import { eventStoreEntry, startEventStoreNode } from '@popsvc/embedded/event-store';
import { type PostgresServer, startPostgres } from '@popsvc/embedded/postgres';
import {
  choosePort,
  type ProcessOptions,
  startSupervisedProcess,
  type SupervisedProcess,
} from '@popsvc/embedded/supervisor';
import { OperatorError } from '@popsvc/platform/runtime';
import { addCleanUp, shareForRun, temporaryFolder } from '@popsvc/tools/rig';
import { Client } from 'pg';
import { isInstalled } from './run-conditions.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface ClickHouseResponse {
  readonly ok: boolean;
  /** The rows as tab-separated text without the last line end, or the server's error, or rows followed by the error. */
  readonly text: string;
}

/** Sends one statement over plain HTTP; without credentials as ClickHouse's user `default`. */
export const queryClickHouse = async (
  url: string,
  user: Credentials | undefined,
  sql: string,
): Promise<ClickHouseResponse> => {
  const sent = request(url, {
    method: 'POST',
    agent: false,
    ...(user && { auth: `${user.username}:${user.password}` }),
  });
  sent.end(sql);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => (text += part));
  // If a query fails after the first rows, ClickHouse sends the error text and closes the connection. `fetch` discards that text.
  sent.on('error', () => undefined);
  await finished(response).catch(() => undefined);
  return { ok: response.complete && response.statusCode === 200, text: text.trimEnd() };
};

/** A ClickHouse server. */
export interface TestClickHouse {
  readonly url: string;
  /** The port for analysts. */
  readonly analystsUrl: string;
  readonly writer: Credentials;
  readonly reader: Credentials;
  readonly analyst: Credentials;
  /** Creates an empty database and returns its name, which begins with `popsvc_test_`. */
  database(): Promise<string>;
}

const credentials = (username: string): Credentials => ({ username, password: randomBytes(12).toString('hex') });

/** A server for one suite that kills it. */
export interface KillableClickHouse extends TestClickHouse {
  /** Folder of the server's data. */
  readonly dir: string;
  /** Sends SIGKILL. */
  kill(): void;
  /** Waits until the server has ended and starts it again with the same folder and port. */
  restart(): Promise<void>;
}

let clickHouse: Promise<TestClickHouse> | undefined;

/** The server that all suites of the run share. It starts at the first call. */
export const sharedClickHouse = (): Promise<TestClickHouse> => (clickHouse ??= shareForRun(startClickHouse));

export const killableClickHouse = (): Promise<KillableClickHouse> => startClickHouse({ restart: false });

interface StartOptions {
  readonly restart?: false;
  /** In addition to the user `analyst`. */
  readonly analysts?: readonly Credentials[];
}

/** Starts a server with additional analyst users. */
export const clickHouseWithAnalysts = (analysts: readonly Credentials[]): Promise<TestClickHouse> =>
  startClickHouse({ analysts });

const startClickHouse = async ({ analysts = [], ...how }: StartOptions = {}): Promise<KillableClickHouse> => {
  const users = {
    writer: credentials('popsvc_writer'),
    reader: credentials('popsvc_reader'),
    analyst: credentials('analyst'),
  };
  const dir = await temporaryFolder('clickhouse');
  const port = await choosePort(0, 'EMBEDDED_CLICKHOUSE_PORT');
  const analystsPort = await choosePort(0, 'EMBEDDED_ANALYSTS_PORT');
  const options: ProcessOptions = {
    ...clickHouseProcess({
      dir,
      port,
      analystsPort,
      users: [
        ...(['writer', 'reader', 'analyst'] as const).map((role) => ({ ...users[role], role })),
        ...analysts.map((analyst) => ({ ...analyst, role: 'analyst' as const })),
      ].map(({ username, password, role }) => ({ name: username, password, role })),
    }),
    ...how,
  };
  let server = await startSupervisedProcess(options);
  addCleanUp(() => server.stop());
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    dir,
    analystsUrl: `http://127.0.0.1:${analystsPort}`,
    ...users,
    database: () => createClickHouseDatabase(url, users.writer),
    kill: () => void process.kill(server.pid()!, 'SIGKILL'),
    async restart() {
      await server.ended;
      server = await startSupervisedProcess(options);
    },
  };
};

const createClickHouseDatabase = async (url: string, writer: Credentials): Promise<string> => {
  const name = `popsvc_test_${randomBytes(6).toString('hex')}`;
  const { ok, text } = await queryClickHouse(url, writer, `CREATE DATABASE ${name}`);
  if (!ok) throw new Error(text);
  return name;
};

/** An event store node for one suite. */
export interface TestEventStore {
  /** Connection string; it stays the same after a restart. */
  readonly url: string;
  readonly dir: string;
  readonly port: number;
  /** Process id; it changes with a restart. */
  pid(): number | undefined;
  stop(): Promise<void>;
  /** Kills the process with SIGKILL and does not restart it. */
  kill9(): Promise<void>;
  /** Stops the node if it runs and starts it again with the same folder and port. */
  restart(): Promise<void>;
}

export const startTestEventStore = async (env: Readonly<Record<string, string>> = {}): Promise<TestEventStore> => {
  const dir = await temporaryFolder('event-store');
  const port = await choosePort(0, 'EMBEDDED_EVENTSTORE_PORT');
  const start = (): Promise<SupervisedProcess> =>
    startSupervisedProcess({
      name: 'event-store',
      run: { entry: eventStoreEntry },
      env: { ...env, EVENT_STORE_DIR: dir, EVENT_STORE_PORT: String(port) },
      ready: 'json-line',
      restart: false,
    });
  let node = await start();
  addCleanUp(() => node.stop());
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    dir,
    port,
    pid: () => node.pid(),
    stop: () => node.stop(),
    kill9: async () => {
      const pid = node.pid();
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      await node.ended;
    },
    restart: async () => {
      await node.stop();
      node = await start();
    },
  };
};

/** Starts an event store node in this process: faster, for suites that do not kill it. */
export const startInProcessEventStore = async (): Promise<Omit<TestEventStore, 'pid' | 'kill9'>> => {
  const dataDir = await temporaryFolder('event-store');
  let node = await startEventStoreNode({ dataDir, port: 0 });
  const { port } = node;
  let isOpen = true;
  const stop = async () => {
    if (isOpen) await node.close();
    isOpen = false;
  };
  addCleanUp(stop);
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    dir: dataDir,
    port,
    stop,
    async restart() {
      await stop();
      node = await startEventStoreNode({ dataDir, port });
      isOpen = true;
    },
  };
};

export const natsProgram = 'nats-server';
export const hasNats = isInstalled(natsProgram);

/** A nats-server for one suite. */
export interface TestNats {
  /** Includes user and password; it stays the same after a restart. */
  readonly url: string;
  stop(): Promise<void>;
  /** Kills the process with SIGKILL and does not restart it. */
  kill9(): Promise<void>;
  /** Deletes all stored messages. Only while the server is stopped. */
  wipe(): Promise<void>;
  /** Starts the server again with the same folder and port. */
  start(): Promise<void>;
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false)).once('data', () => socket.destroy());
  });

const [user, password] = ['popsvc', 'a-password-of-tests'];

/** Starts a nats-server; `jetStream: false` starts it without the persistence that the service requires. */
export const startTestNats = async (flags: readonly string[] = [], { jetStream = true } = {}): Promise<TestNats> => {
  const dir = await temporaryFolder('nats');
  const port = await choosePort(0, 'NATS_URL');
  const store = join(dir, 'store');
  const kept = jetStream ? ['--jetstream', '--store_dir', store] : [];
  const options = ['--addr', '127.0.0.1', '--port', String(port), ...kept];
  let server: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = server;
    server = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill(signal);
    await once(ending, 'exit');
  };
  const start = async () => {
    const started = spawn(natsProgram, [...options, '--user', user, '--pass', password, ...flags], { stdio: 'ignore' });
    server = started;
    for (let tries = 0; !(await isListening(port)); tries += 1) {
      if (tries === 200 || started.exitCode !== null) throw new Error('nats-server did not start');
      await sleep(50);
    }
  };
  await start();
  addCleanUp(() => end('SIGKILL'));
  return {
    url: `nats://${user}:${password}@127.0.0.1:${port}`,
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
    wipe: () => rm(store, { recursive: true, force: true }),
    start,
  };
};

/** Prepares the empty database at this URL, for example creates the schema. */
type Prepare = (url: string) => Promise<void>;

/** The PostgreSQL server that all suites of the run share. */
interface TestPostgres {
  /**
   * Creates a database and returns its URL. A `prepare` function runs once per run, on a template database; the databases for
   * it are copies of the template.
   */
  freshDatabase(prepare?: Prepare): Promise<string>;
}

let postgres: Promise<TestPostgres> | undefined;

/** Starts the shared server at the first call, without fsync. */
export const sharedPostgres = (): Promise<TestPostgres> => (postgres ??= shareForRun(startPostgresServer));

const startPostgresServer = async (): Promise<TestPostgres> => {
  const server = await startPostgres({
    dataDir: await temporaryFolder('postgres'),
    port: 0,
    password: randomBytes(12).toString('hex'),
    fsync: false,
  });
  addCleanUp(() => server.stop());
  const templates = new Map<Prepare, Promise<string>>();
  const templateOf = (prepare: Prepare): Promise<string> => {
    const made = templates.get(prepare) ?? makeTemplate(server, prepare);
    templates.set(prepare, made);
    return made;
  };
  return {
    freshDatabase: async (prepare) =>
      databaseUrl(server, await createPostgresDatabase(server, prepare && (await templateOf(prepare)))),
  };
};

/** Tries again if a connection took longer than the two seconds of the service's pool, as on a busy machine. */
const makeTemplate = async (server: PostgresServer, prepare: Prepare, attempts = 10): Promise<string> => {
  const name = await createPostgresDatabase(server);
  try {
    await prepare(databaseUrl(server, name));
    return name;
  } catch (error) {
    if (!(error instanceof OperatorError) || attempts === 1) throw error;
    return makeTemplate(server, prepare, attempts - 1);
  }
};

/** Creates a database with a random name, as a copy of another database, and returns its name. */
export const createPostgresDatabase = async (
  { url }: Pick<PostgresServer, 'url'>,
  template = 'template1',
): Promise<string> => {
  const name = `popsvc_test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await client.end();
  }
  return name;
};

/** Returns the URL of another database of a server. */
export const databaseUrl = (server: Pick<PostgresServer, 'url'>, database: string): string => {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return url.href;
};
