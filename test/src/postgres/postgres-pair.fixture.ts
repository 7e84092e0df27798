import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PostgresServer, startPostgres } from '@popsvc/embedded/postgres';
import { temporaryFolder, waitUntil, addCleanUp } from '@popsvc/tools/rig';
import { Client } from 'pg';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.fixture.ts';

const password = 'a-password-of-tests';

interface Node {
  readonly dataDir: string;
  readonly server: PostgresServer;
}

/** A PostgreSQL primary and its standby. Both are embedded servers with durable settings. */
export interface PostgresPair {
  /** The service's database on the primary, through a proxy that `promote` moves to the new primary. */
  readonly url: string;
  readonly clients: FaultProxy;
  /** Between the standby and the primary. */
  readonly replication: FaultProxy;
  /** Runs a statement on the primary as superuser. */
  administer(sql: string): Promise<Record<string, unknown>[]>;
  /** Changes a setting of the primary, and of standbys that are added after it. */
  configure(name: string, value: string): Promise<void>;
  /** Copies the primary while it runs, and waits until the copy streams from it. */
  addStandby(name: string): Promise<void>;
  /** Waits until the standby streams. */
  waitForStandby(): Promise<void>;
  /** The service's database on the standby. */
  standbyUrl(): string;
  /** Makes the standby receive WAL without replaying it, or replay it again. */
  pauseReplay(isPaused: boolean): Promise<void>;
  /** Ends the primary without warning and for good. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary. It has no standby then. */
  promote(): Promise<void>;
}

const administratorUrl = ({ port }: PostgresServer) => `postgresql://postgres@127.0.0.1:${port}/postgres`;

const withAdministrator = async <T>(server: PostgresServer, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: administratorUrl(server) });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Starts a primary without a standby, which the superuser and standbys of this machine may use without a password. */
const startPrimary = async (): Promise<Node> => {
  const dataDir = await temporaryFolder('postgres-primary');
  const server = await startPostgres({ dataDir, port: 0, password });
  const access = join(dataDir, 'cluster', 'pg_hba.conf');
  const trusted = ['all', 'replication'].map((database) => `host ${database} postgres 127.0.0.1/32 trust\n`).join('');
  await writeFile(access, trusted + (await readFile(access, 'utf8')));
  process.kill(server.pid()!, 'SIGHUP');
  await waitUntil(
    () => withAdministrator(server, () => Promise.resolve(true)).catch(() => false),
    (isIn) => isIn,
  );
  return { dataDir, server };
};

/** Copies the files of a running server, which may delete some of them meanwhile. */
const copyRunningCluster = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true });
  await promisify(execFile)('cp', ['-a', `${from}/.`, to]).catch((error: unknown) => {
    const lines = String((error as { stderr?: string }).stderr)
      .trim()
      .split('\n');
    if (!lines.every((line) => line.includes('No such file or directory'))) throw error;
  });
};

/** Starts a standby on a base backup of a server. */
const startStandby = async (primary: Node, name: string, replication: FaultProxy): Promise<Node> => {
  const dataDir = await temporaryFolder('postgres-standby');
  const cluster = join(dataDir, 'cluster');
  const label = await withAdministrator(primary.server, async (client) => {
    await client.query('SELECT pg_backup_start($1, true)', [name]);
    await copyRunningCluster(join(primary.dataDir, 'cluster'), cluster);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    return rows[0]!.labelfile;
  });
  for (const file of ['postmaster.pid', 'postmaster.opts']) await rm(join(cluster, file), { force: true });
  const { port } = new URL(replication.url);
  const connection = `host=127.0.0.1 port=${port} user=postgres application_name=${name}`;
  await appendFile(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${connection}'\nwal_retrieve_retry_interval = '200ms'\n`,
  );
  const { uid, gid } = await stat(cluster);
  for (const [file, content] of [
    ['backup_label', label],
    ['standby.signal', ''],
  ] as const) {
    await writeFile(join(cluster, file), content);
    await chown(join(cluster, file), uid, gid);
  }
  await chown(dataDir, uid, gid);
  return { dataDir, server: await startPostgres({ dataDir, port: 0, password }) };
};

/** Starts a primary. `addStandby` adds the standby. */
export const startPostgresPair = async (): Promise<PostgresPair> => {
  let primary = await startPrimary();
  let standby: Node | undefined;
  const clients = await startFaultProxy(primary.server.url);
  const replication = await startFaultProxy(primary.server.url);
  addCleanUp(async () => {
    for (const node of [standby, primary]) await node?.server.stop();
  });
  const administer: PostgresPair['administer'] = (sql) =>
    withAdministrator(primary.server, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
  const configure: PostgresPair['configure'] = async (name, value) => {
    await administer(`ALTER SYSTEM SET ${name} = '${value}'`);
    await administer('SELECT pg_reload_conf()');
    await waitUntil(
      () => administer(`SELECT current_setting('${name}') AS value`),
      ([row]) => row?.['value'] === value,
    );
  };
  const waitForStandby = async () => {
    await waitUntil(
      () => administer("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"),
      ({ length }) => length === 1,
    );
  };
  // Enough for a standby that is away for the time of a test.
  await configure('wal_keep_size', '1GB');
  return {
    url: clients.url,
    clients,
    replication,
    administer,
    configure,
    async addStandby(name) {
      standby = await startStandby(primary, name, replication);
      await waitForStandby();
    },
    waitForStandby,
    standbyUrl: () => standby!.server.url,
    async pauseReplay(isPaused) {
      const call = isPaused ? 'pg_wal_replay_pause()' : 'pg_wal_replay_resume()';
      await withAdministrator(standby!.server, (client) => client.query(`SELECT ${call}`));
    },
    async killPrimary() {
      process.kill(primary.server.pid()!, 'SIGKILL');
      // Its supervisor would start it again.
      await primary.server.stop();
    },
    async promote() {
      const { dataDir } = primary;
      primary = standby!;
      standby = undefined;
      await administer('SELECT pg_promote(true, 60)');
      clients.moveTo(primary.server.url);
      replication.moveTo(primary.server.url);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
