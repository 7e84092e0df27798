import { chownSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client, DatabaseError } from 'pg';
import {
  choosePort,
  startSupervisedProcess,
  type SupervisedProcess,
  type ProcessOptions,
} from '../supervisor/index.ts';
import { findPostgresBinaries, type PostgresBinaries } from './binaries.ts';
import { assertOwner, clusterPath, createCluster, majorOfCluster, SERVICE } from './cluster.ts';
import { PARENT_SETTING, stopOrphanedServer } from './leftover.ts';
import { ownerOf, rightsToReach } from './rights.ts';

export interface PostgresServerSettings {
  readonly dataDir: string;
  /** On loopback; 0 is any free one. */
  readonly port: number;
  /** Of the role `popsvc`: set when the cluster is made, needed at every later start. */
  readonly password: string;
  /** Off only where losing the data to a power cut does not matter. Default on. */
  readonly fsync?: boolean;
  /** The installations to choose from. Default: those of the machine, then the one from npm. */
  readonly binaries?: readonly PostgresBinaries[];
  readonly onLine?: ProcessOptions['onLine'];
}

export interface PostgresServer extends SupervisedProcess {
  readonly url: string;
  readonly port: number;
  readonly binaries: PostgresBinaries;
}

/** A PostgreSQL server on this machine: its cluster made if need be, kept alive until it is stopped. */
export const startPostgres = async (settings: PostgresServerSettings): Promise<PostgresServer> => {
  const dataDir = resolve(settings.dataDir);
  const cluster = clusterPath(dataDir);
  const binaries = choose(settings.binaries ?? (await findPostgresBinaries()), dataDir);
  mkdirSync(dataDir, { recursive: true });
  const rights = await rightsToReach([dataDir, join(binaries.dir, 'postgres')]);
  if (majorOfCluster(dataDir) === undefined) {
    const owner = ownerOf(rights);
    if (owner) chownSync(dataDir, owner.uid, owner.gid);
    await createCluster(dataDir, binaries, rights, settings.password);
  }
  assertOwner(dataDir, rights);
  await stopOrphanedServer(cluster);

  const port = await choosePort(settings.port, 'EMBEDDED_POSTGRES_PORT');
  const url = `postgresql://${SERVICE}:${encodeURIComponent(settings.password)}@127.0.0.1:${port}/${SERVICE}`;
  const serverSettings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: settings.fsync === false ? 'off' : 'on',
    full_page_writes: settings.fsync === false ? 'off' : 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_checkpoints: 'off',
    [PARENT_SETTING]: process.pid,
  };
  const part = await startSupervisedProcess({
    name: 'postgres',
    run: {
      command: [
        ...rights.prefix,
        join(binaries.dir, 'postgres'),
        '-D',
        cluster,
        ...Object.entries(serverSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
    },
    ...(rights.user && { user: rights.user }),
    ready: async () => (await logIn(url)) !== 'not yet',
    // "Fast": open sessions are ended, not waited for.
    stopSignal: 'SIGINT',
    ...(settings.onLine && { onLine: settings.onLine }),
  });
  if ((await logIn(url)) === 'refused') {
    await part.stop();
    throw new Error(`PostgreSQL in ${dataDir} was made with another password than the one given now`);
  }
  return { ...part, url, port, binaries };
};

/** SQLSTATE. */
const WRONG_PASSWORD = '28P01';

const choose = (found: readonly PostgresBinaries[], dataDir: string): PostgresBinaries => {
  const major = majorOfCluster(dataDir);
  const fitting = major === undefined ? found[0] : found.find((binaries) => binaries.major === major);
  if (fitting) return fitting;
  if (found.length === 0)
    throw new Error('No PostgreSQL on this machine nor from npm: install one, or set DATABASE_URL');
  const present = found.map((binaries) => binaries.major).join(', ');
  throw new Error(
    `${dataDir} was made by PostgreSQL ${major ?? ''} and here is ${present}: install PostgreSQL ${major ?? ''}, ` +
      'or move the folder away to begin with an empty one',
  );
};

const logIn = async (url: string): Promise<'done' | 'refused' | 'not yet'> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // Without a listener a connection that breaks later would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return 'done';
  } catch (error) {
    return error instanceof DatabaseError && error.code === WRONG_PASSWORD ? 'refused' : 'not yet';
  } finally {
    await client.end().catch(() => undefined);
  }
};
