import type { Shard } from '@popsvc/domain/partitioning';
import { withDeadline, degraded, NotReadyError } from '@popsvc/platform/runtime';
import {
  type ClickHouseWriter,
  describeShard,
  findWrongShard,
  hasServerErrorType,
  type IsReplicaReady,
  pinToServer,
  quoteString,
  type ReplicaLayout,
  sql,
  sqlText,
  writersOfServers,
} from '@popsvc/platform/clickhouse';
import { verifiedRuns } from '../declarations/verified-runs.ts';

/**
 * A queue entry without a source replica is for a part that the replica lost or still has to fetch. A reader of all shards uses two
 * databases: its own with views, and that of the tables.
 */
const ofReplicaSql = (database: string): readonly string[] => {
  const isRead = `database IN (currentDatabase(), ${quoteString(database)})`;
  return [
    `(SELECT count() FROM system.replication_queue
      WHERE ${isRead} AND type IN ('GET_PART', 'ATTACH_PART') AND source_replica = '') = 0`,
    `(SELECT sum(parts_to_check) FROM system.replicas WHERE ${isRead}) = 0`,
    `(SELECT count() FROM system.database_replicas WHERE ${isRead} AND (is_readonly OR log_ptr < max_log_ptr)) = 0`,
  ];
};

const isReadySql = ({ cluster, database }: ReplicaLayout) =>
  [`(SELECT count() FROM ${verifiedRuns}) > 0`, ...(cluster === undefined ? [] : ofReplicaSql(database))].join(' AND ');

/** Does not check to which shard the replica belongs: the reader does. */
export const isReplicaReady: IsReplicaReady = async (replica, layout) => {
  const [row] = await replica.rows<{ ready: number | boolean }>(sql`SELECT ${sqlText(isReadySql(layout))} AS ready`);
  return Boolean(row?.ready);
};

/** Prefers a ready replica: others may lack tables, and may take hours to fetch their rows. Throws if no server responds. */
export const pinToReplica = (writer: ClickHouseWriter, key: string): Promise<ClickHouseWriter> =>
  pinToServer(writer, key, isServerReady);

export const isServerReady = async (server: ClickHouseWriter): Promise<boolean> => {
  const [row] = await server.rows<{ ready: number | boolean }>(`SELECT ${isReadySql(server)} AS ready`);
  return Boolean(row?.ready);
};

/** A replica that needs longer continues in the background. The caller repeats the call. */
const syncTimeoutMs = 20_000;

export const syncSchema = async (replica: ClickHouseWriter): Promise<void> => {
  if (replica.cluster === undefined) return;
  await replica.run(`SYSTEM SYNC DATABASE REPLICA ${replica.database}`, { timeoutMs: syncTimeoutMs });
};

/** Waits until the replica has all parts that other replicas have. Ignores tables that do not exist. */
export const syncTables = async (replica: ClickHouseWriter, tables: readonly string[]): Promise<void> => {
  if (replica.cluster === undefined) return;
  const existing = await replica.rows<{ table: string }>(
    'SELECT table FROM system.replicas WHERE database = currentDatabase() AND table IN {tables:Array(String)}',
    { params: { tables } },
  );
  for (const { table } of existing)
    await replica.run(`SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`, { timeoutMs: syncTimeoutMs });
};

/** Waits for all deletions of rows of the table, also those that another replica acknowledged. The other replicas need not respond. */
export const syncDeletions = async (replica: ClickHouseWriter, table: string): Promise<void> => {
  if (replica.cluster !== undefined) await replica.run(`SYSTEM SYNC REPLICA ${table}`, { timeoutMs: syncTimeoutMs });
};

/** Has no effect on a single server. Throws if the schema or a table is not in sync within `syncTimeoutMs`. */
export const syncReplica = async (replica: ClickHouseWriter): Promise<void> => {
  if (replica.cluster === undefined) return;
  await replica.createDatabase();
  await syncSchema(replica);
  // The pattern leaves out the snapshots of replays, which are dropped soon.
  const tables = await replica.rows<{ table: string }>(
    "SELECT table FROM system.replicas WHERE database = currentDatabase() AND match(table, '_g[0-9]+$')",
  );
  await syncTables(
    replica,
    tables.map(({ table }) => table),
  );
};

/** Runs `work` on one server after the other and returns the first result. Throws if all servers fail. */
export const onEachServer = async <T>(
  writer: ClickHouseWriter,
  work: (server: ClickHouseWriter) => Promise<T>,
  onFailure: (server: ClickHouseWriter, error: unknown) => void,
): Promise<T> => {
  const [first, ...others] = writersOfServers(writer);
  if (others.length === 0) return work(first!);
  const results: T[] = [];
  let failure: unknown;
  for (const server of [first!, ...others])
    try {
      results.push(await work(server));
    } catch (error) {
      failure = error;
      onFailure(server, error);
    }
  if (results.length === 0) throw failure;
  return results[0]!;
};

/** Returns the results that succeed. Throws if all shards fail. */
export const onEachShard = async <Each, T>(
  shards: readonly Each[],
  work: (shard: Each) => Promise<T>,
  onFailure: (shard: Each, error: unknown) => void,
): Promise<readonly T[]> => {
  const results = await Promise.allSettled(shards.map(work));
  const failures = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ shard: shards[index]!, error: result.reason as unknown }] : [],
  );
  const [first] = failures;
  if (first && failures.length === shards.length) throw first.error;
  for (const { shard, error } of failures) onFailure(shard, error);
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
};

/** `not-ready`: the server responds, but reports must not read it. `no-database`: it lacks the database of the service. */
export const serverStates = ['ready', 'not-ready', 'no-database', 'wrong-shard', 'down'] as const;
export type ServerState = (typeof serverStates)[number];

/** The numbers are 0 unless the state is `ready` or `not-ready`. */
export interface ReplicaState {
  /** Host and port. */
  readonly replica: string;
  readonly shard: Shard;
  readonly state: ServerState;
  /** Why the numbers could not be read; undefined if they could. */
  readonly error?: unknown;
  /** Number of tables that cannot be written, for example because the replica lost Keeper. */
  readonly readOnlyTables: number;
  readonly delaySeconds: number;
  readonly queuedTasks: number;
  /** Number of parts that all replicas have lost since the tables were created. */
  readonly lostParts: number;
  /** Parts that the server found damaged and detached. A replica of a cluster then fetches them from another replica. */
  readonly brokenParts: number;
  /** Replicas that Keeper lists; 0 for a single server. */
  readonly knownReplicas: number;
}

const stateSql = (layout: ReplicaLayout) => `
  SELECT ${isReadySql(layout)} AS ready, toFloat64(countIf(is_readonly)) AS read_only, toFloat64(max(absolute_delay)) AS delay,
    toFloat64(sum(queue_size)) AS queued, toFloat64(sum(lost_part_count)) AS lost, toFloat64(max(total_replicas)) AS known,
    (SELECT toFloat64(count()) FROM system.detached_parts
     WHERE database = currentDatabase() AND startsWith(reason, 'broken')) AS broken
  FROM system.replicas WHERE database = currentDatabase()`;

interface StateRow {
  readonly ready: number | boolean;
  readonly read_only: number;
  readonly delay: number;
  readonly queued: number;
  readonly lost: number;
  readonly broken: number;
  readonly known: number;
}

const stateTimeoutMs = 2_000;

const decideState = ({ error, isReady }: { readonly error?: unknown; readonly isReady: boolean }): ServerState => {
  if (findWrongShard(error)) return 'wrong-shard';
  if (hasServerErrorType(error, ['UNKNOWN_DATABASE'])) return 'no-database';
  if (error !== undefined) return 'down';
  return isReady ? 'ready' : 'not-ready';
};

const readState = async (server: ClickHouseWriter): Promise<ReplicaState> => {
  const { shard } = server;
  const replica = new URL(server.server).host;
  try {
    const [row] = await server.rows<StateRow>(stateSql(server), { timeoutMs: stateTimeoutMs });
    const { ready, read_only, delay, queued, lost, broken, known } = row!;
    return {
      replica,
      shard,
      state: decideState({ isReady: Boolean(ready) }),
      readOnlyTables: read_only,
      delaySeconds: delay,
      queuedTasks: queued,
      lostParts: lost,
      brokenParts: broken,
      knownReplicas: known,
    };
  } catch (error) {
    const none = { readOnlyTables: 0, delaySeconds: 0, queuedTasks: 0, lostParts: 0, brokenParts: 0, knownReplicas: 0 };
    return { replica, shard, error, state: decideState({ error, isReady: false }), ...none };
  }
};

const describeReason = (reason: unknown): string => findWrongShard(reason)?.message ?? String(reason);

/** Shorter than the maximum duration of the whole readiness probe. */
const shardCheckMs = 1_800;

/**
 * If all checks fail, throws the first failure. If only some fail, returns a degraded result: the networks of the other shards stay
 * available.
 */
export const checkShards = async <Each extends { readonly shard: Shard }>(
  shards: readonly Each[],
  check: (shard: Each) => Promise<unknown>,
): Promise<unknown> => {
  const results = await Promise.allSettled(
    shards.map((shard) => withDeadline(check(shard), shardCheckMs, 'the check of the shard')),
  );
  const problems = results.flatMap((result, index) =>
    result.status === 'rejected' ? [`${describeShard(shards[index]!.shard)}: ${describeReason(result.reason)}`] : [],
  );
  const [first] = results;
  if (problems.length === results.length && first?.status === 'rejected') {
    const wrong = findWrongShard(first.reason);
    throw wrong ? new NotReadyError(wrong.message) : first.reason;
  }
  if (problems.length > 0) return degraded(problems.join('; '));
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])).find(Boolean);
};

/** Throws if all servers fail. A server that belongs to another shard is not used, and degrades the result. */
export const pingServers = async (shard: ClickHouseWriter): Promise<unknown> => {
  const results = await Promise.allSettled(writersOfServers(shard).map((server) => server.ping()));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  if (failures.length === results.length) throw failures.find(findWrongShard) ?? failures[0];
  const wrong = failures.find(findWrongShard);
  return wrong === undefined ? undefined : degraded(describeReason(wrong));
};

/** The state of a server that cannot be read contains the error. */
export const readReplicaStates = (shards: readonly ClickHouseWriter[]): Promise<readonly ReplicaState[]> =>
  Promise.all(shards.flatMap(writersOfServers).map(readState));
