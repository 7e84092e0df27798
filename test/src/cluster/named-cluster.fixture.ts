import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type ClickHouseWriter, openShardWriters, shardsDatabase, writersOfServers } from '@popsvc/platform/clickhouse';
import { analystsDatabase } from '@popsvc/read-models/analysts';
import { waitUntil } from '@popsvc/tools/rig';

const { CLICKHOUSE_URL = '', CLICKHOUSE_CLUSTER = '', CLICKHOUSE_USER = '', CLICKHOUSE_PASSWORD = '' } = process.env;

/** Shell commands and paths of servers; see test/cluster.mjs. */
const { CLUSTER_STOP, CLUSTER_START, CLUSTER_KEEPER = 'keeper', CLUSTER_DATA, CLUSTER_WIPE } = process.env;
const { CLUSTER_SHUTDOWN = CLUSTER_STOP } = process.env;

/** Password of the login `analyst` on all servers; undefined if there is none. */
export const analystPassword = process.env['CLUSTER_ANALYST_PASSWORD'];

export const mayStopServers = CLUSTER_STOP !== undefined && CLUSTER_START !== undefined;
export const mayChangeFiles = mayStopServers && CLUSTER_DATA !== undefined;
export const mayWipeServers = mayStopServers && CLUSTER_WIPE !== undefined;
export const keeper = CLUSTER_KEEPER;
export const addressesOfReplicas = CLICKHOUSE_URL.split(/[,;]/);
/** CLICKHOUSE_URL without its last replica. */
export const withoutLastReplica = CLICKHOUSE_URL.replace(/,[^,]*$/, '');

const runFor = async (command: string, node: string): Promise<void> => {
  await promisify(execFile)('sh', ['-c', command.replaceAll('{node}', node)]);
};

/** Kills a replica, by its number from 1, or `keeper`. */
export const killServer = (node: string): Promise<void> => runFor(CLUSTER_STOP!, node);
export const startServer = (node: string): Promise<void> => runFor(CLUSTER_START!, node);
/** Stops a replica gracefully, if the environment names a command for that. */
export const shutDownServer = (node: string): Promise<void> => runFor(CLUSTER_SHUTDOWN!, node);
/** Removes all data of a stopped replica. */
export const wipeServer = (node: string): Promise<void> => runFor(CLUSTER_WIPE!, node);

/** Returns where this process finds a file or folder of a replica. `path`: as the replica names it, below its data folder. */
export const pathOnServer = async (node: string, replica: ClickHouseWriter, path: string): Promise<string> => {
  const [disk] = await replica.rows<{ path: string }>("SELECT path FROM system.disks WHERE name = 'default'");
  return join(CLUSTER_DATA!.replaceAll('{node}', node), relative(disk!.path, path));
};

/** The databases that the service creates on each replica. */
export const databasesOf = ({ database }: Pick<ClickHouseWriter, 'database'>): readonly string[] => [
  database,
  analystsDatabase(database),
];

/** How Keeper knows a replica. */
interface ReplicaName {
  readonly shard: string;
  readonly name: string;
}

export const readReplicaName = async (replica: ClickHouseWriter): Promise<ReplicaName> => {
  const [found] = await replica.rows<ReplicaName>("SELECT getMacro('shard') AS shard, getMacro('replica') AS name");
  return found!;
};

/** Removes a replica that lost its data from Keeper, so that it can create its databases again. `other`: a replica of the shard. */
export const removeFromKeeper = async ({ shard, name }: ReplicaName, other: ClickHouseWriter): Promise<void> => {
  for (const database of databasesOf(other)) {
    const sql = `SYSTEM DROP DATABASE REPLICA '${name}' FROM SHARD '${shard}' FROM DATABASE ${database} WITH TABLES`;
    // Refused until the former session with Keeper has expired.
    await waitUntil(
      () => other.run(sql).then(() => '', String),
      (failure) => failure === '',
      30_000,
      500,
    );
  }
};

/** A database of its own on the cluster that the environment names. */
export interface NamedCluster {
  /** Variables of the service. */
  readonly env: Readonly<
    Record<'CLICKHOUSE_URL' | 'CLICKHOUSE_CLUSTER' | 'CLICKHOUSE_USER' | 'CLICKHOUSE_PASSWORD', string>
  >;
  /** A writer for each shard. */
  readonly shards: readonly ClickHouseWriter[];
  /** A writer for each replica of all shards, in the order of CLICKHOUSE_URL. */
  readonly replicas: readonly ClickHouseWriter[];
  /** Drops the database on each replica. */
  drop(): Promise<void>;
}

/** `listed`: CLICKHOUSE_URL of the environment, or a part of it. `database`: default: a new one. */
export const openNamedCluster = (
  listed = CLICKHOUSE_URL,
  database = `popsvc_cluster_${randomBytes(6).toString('hex')}`,
): NamedCluster => {
  const url = listed.replaceAll(/[^,;]+/g, (address) => new URL(`/${database}`, address).href);
  const login = { username: CLICKHOUSE_USER, password: CLICKHOUSE_PASSWORD };
  const shards = openShardWriters({ url, cluster: CLICKHOUSE_CLUSTER, ...login });
  const replicas = shards.flatMap(writersOfServers);
  return {
    env: { CLICKHOUSE_URL: url, CLICKHOUSE_CLUSTER, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD },
    shards,
    replicas,
    async drop() {
      for (const replica of replicas)
        for (const name of [
          analystsDatabase(database),
          `${analystsDatabase(database)}_shard`,
          shardsDatabase(database),
          database,
        ])
          await replica.run(`DROP DATABASE IF EXISTS ${name} SYNC`).catch(() => undefined);
      await Promise.all(shards.map((writer) => writer.close()));
    },
  };
};
