import { chownSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from '@popsvc/platform/runtime';
import { Client, DatabaseError } from 'pg';
import { choosePort } from '../supervisor/ports.ts';
import {
  type ProcessOptions,
  ProcessStartError,
  startSupervisedProcess,
  type SupervisedProcess,
} from '../supervisor/supervised-process.ts';
import { findPostgresBinaries, type PostgresBinaries } from './binaries.ts';
import {
  assertClusterOwner,
  clusterPath,
  createCluster,
  enableChecksums,
  readClusterVersion,
  SERVICE,
} from './cluster.ts';
import { describeParent, stopOrphanedServer } from './orphaned-server.ts';
import { fileOwner, findPrivileges, postgresEnvironment, restrictFolder } from './privileges.ts';
import { verifyShutdownManifest, writeShutdownManifest } from './shutdown-manifest.ts';
import { explainStartFailure } from './start-failure.ts';

export interface PostgresServerSettings {
  readonly dataDir: string;
  /** Port on loopback; 0 chooses any free port. */
  readonly port: number;
  /** Password of the role `popsvc`: set when the cluster is created, required at each later start. */
  readonly password: string;
  /** Whether committed data survives a power failure. Default: true. */
  readonly fsync?: boolean;
  readonly binaries?: readonly PostgresBinaries[];
  readonly onLine?: ProcessOptions['onLine'];
  /** If the signal aborts before the server is ready, the start fails. */
  readonly signal?: AbortSignal;
  /** Time between the stop signal and SIGKILL. Default: 8,000 ms. */
  readonly stopTimeoutMs?: number;
}

export interface PostgresServer extends SupervisedProcess {
  readonly url: string;
  readonly port: number;
  readonly binaries: PostgresBinaries;
}

/** Creates the cluster at the first start. Adds data checksums to a cluster without them if pg_checksums is installed. */
export const startPostgres = async (settings: PostgresServerSettings): Promise<PostgresServer> => {
  const { signal, onLine } = settings;
  const dataDir = resolve(settings.dataDir);
  const cluster = clusterPath(dataDir);
  const binaries = chooseBinaries(settings.binaries ?? (await findPostgresBinaries()), dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // PostgreSQL's account must also reach the folders above `dataDir` and above the target of a link.
  const above = [dataDir, realpathSync(dataDir)].map((path) => dirname(path));
  const privileges = await findPrivileges([...above, join(binaries.dir, 'postgres')]);
  signal?.throwIfAborted();
  const isNew = readClusterVersion(dataDir) === undefined;
  if (!isNew) assertClusterOwner(dataDir, privileges);
  const owner = fileOwner(privileges);
  if (owner) chownSync(dataDir, owner.uid, owner.gid);
  restrictFolder(dataDir, 0o700);
  if (isNew) await createCluster(dataDir, binaries, privileges, settings.password, signal);
  await stopOrphanedServer(cluster);
  await verifyShutdownManifest(dataDir);

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
    ...describeParent(),
  };
  const options: ProcessOptions = {
    name: 'postgres',
    run: {
      command: [
        ...privileges.prefix,
        join(binaries.dir, 'postgres'),
        '-D',
        cluster,
        ...Object.entries(serverSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
    },
    env: postgresEnvironment(),
    inheritsEnvironment: false,
    ...(privileges.user && { user: privileges.user }),
    ready: async () => (await logIn(url)) !== 'not yet',
    explainFailure: (messages) => explainStartFailure(dataDir, messages),
    // SIGINT requests a fast shutdown, which ends open sessions instead of waiting for them.
    stopSignal: 'SIGINT',
    ...(settings.stopTimeoutMs !== undefined && { stopTimeoutMs: settings.stopTimeoutMs }),
    signal,
    ...(onLine && { onLine }),
  };
  const report = (text: string) => onLine?.({ name: options.name, from: 'supervisor', text });
  let part = await startSupervisedProcess(options);
  const login = await logIn(url);
  if (login === 'refused') {
    await part.stop();
    throw new OperatorError(
      `the PostgreSQL cluster in ${dataDir} was created with another password: restore that password (in secrets.json) or start with another DATA_DIR`,
    );
  }
  if (login instanceof DatabaseError) {
    await part.stop();
    throw new ProcessStartError(`postgres could not start: ${explainStartFailure(dataDir, login.message)}`);
  }
  if (login === 'without checksums') {
    // The server had to start to report this: some installations lack the program that reads it from the cluster's files.
    await part.stop();
    report(
      (await enableChecksums(dataDir, binaries, privileges, signal))
        ? 'data checksums are on from now on'
        : `data checksums are off and ${binaries.dir} lacks pg_checksums: damaged files will not be noticed`,
    );
    part = await startSupervisedProcess(options);
  }
  const server = part;
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await server.stop();
    await writeShutdownManifest(dataDir);
  };
  return { ...server, url, port, binaries, stop: () => (stopping ??= stop()) };
};

const WRONG_PASSWORD = '28P01';

const chooseBinaries = (found: readonly PostgresBinaries[], dataDir: string): PostgresBinaries => {
  const major = readClusterVersion(dataDir);
  const matching = major === undefined ? found[0] : found.find((binaries) => binaries.major === major);
  if (matching) return matching;
  if (found.length === 0)
    throw new OperatorError(
      'PostgreSQL was found neither on this machine nor among the npm packages: install PostgreSQL or set DATABASE_URL',
    );
  const present = found.map((binaries) => binaries.major).join(', ');
  throw new OperatorError(
    `PostgreSQL ${major ?? ''} created ${dataDir} (according to PG_VERSION), but this machine has PostgreSQL ${present}: ` +
      `install PostgreSQL ${major ?? ''}, or start with another DATA_DIR`,
  );
};

/**
 * `refused`: the password is wrong. `DatabaseError`: the server runs, but cannot open a session, for example because files are damaged.
 */
type Login = 'done' | 'without checksums' | 'refused' | 'not yet' | DatabaseError;

/** SQLSTATE classes of temporary errors: insufficient resources, and a server that starts or stops. */
const passingErrors = ['53', '57'];

const logIn = async (url: string): Promise<Login> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // Without a listener for 'error', a connection error would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ data_checksums: string }>('SHOW data_checksums');
    return rows[0]?.data_checksums === 'on' ? 'done' : 'without checksums';
  } catch (error) {
    if (!(error instanceof DatabaseError) || passingErrors.includes((error.code ?? '').slice(0, 2))) return 'not yet';
    return error.code === WRONG_PASSWORD ? 'refused' : error;
  } finally {
    await client.end().catch(() => undefined);
  }
};
