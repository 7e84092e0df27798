import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { hasServerErrorType, isReplicaUnavailable } from './reader-errors.ts';
import { listShardsOf, orderServers, parseServers } from './servers.ts';
import { type ClickHouseWriter, type ClickHouseWriterOptions, isServerError, openServerWriter } from './writer.ts';

/**
 * If a replica is unavailable, the next statement uses another one. The failed statement is not repeated there, because it may rely on
 * earlier ones on the same replica.
 */
const createClusterWriter = (replicas: readonly [ClickHouseWriter, ...ClickHouseWriter[]]): ClickHouseWriter => {
  let current = 0;
  const useOne = async <T>(work: (replica: ClickHouseWriter) => Promise<T>): Promise<T> => {
    const used = current;
    try {
      return await work(replicas[used]!);
    } catch (error) {
      if (isReplicaUnavailable(error) && current === used) current = (used + 1) % replicas.length;
      throw error;
    }
  };
  const useAny = async (work: (replica: ClickHouseWriter) => Promise<void>): Promise<void> => {
    const results = await Promise.allSettled(replicas.map(work));
    const [first] = results.filter((result) => result.status === 'rejected');
    if (first && results.every(({ status }) => status === 'rejected')) throw first.reason;
  };
  const [{ cluster, shard, database, credentials }] = replicas;
  return {
    get server() {
      return replicas[current]!.server;
    },
    replicas,
    cluster,
    shard,
    database,
    credentials,
    insert: (insert) => useOne((replica) => replica.insert(insert)),
    run: (query, options) => useOne((replica) => replica.run(query, options)),
    rows: <Row>(query: string, options?: Parameters<ClickHouseWriter['rows']>[1]) =>
      useOne((replica) => replica.rows<Row>(query, options)),
    assertSettings: () => useOne((replica) => replica.assertSettings()),
    createDatabase: (name) => useAny((replica) => replica.createDatabase(name)),
    ping: () => useAny((replica) => replica.ping()),
    cancelStatements: () => replicas.forEach((replica) => replica.cancelStatements()),
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
};

export const openClickHouseWriter = (options: ClickHouseWriterOptions): ClickHouseWriter => {
  const { servers, database } = parseServers(options.url);
  const [first, ...others] = servers.map((server) => openServerWriter({ server, database }, options));
  return others.length === 0 ? first! : createClusterWriter([first!, ...others]);
};

export const openShardWriters = (
  options: Omit<ClickHouseWriterOptions, 'shard'>,
): readonly [ClickHouseWriter, ...ClickHouseWriter[]] => {
  const [first, ...others] = listShardsOf(options).map(openClickHouseWriter);
  return [first!, ...others];
};

export const writersOfServers = (writer: ClickHouseWriter): readonly ClickHouseWriter[] =>
  writer.replicas.length === 0 ? [writer] : writer.replicas;

/** A replica applies a change of the schema a moment after the replica that executed it. The retries take 1.5 s in sum. */
const readyRetries = { retries: 4, minTimeout: 100, factor: 2 };

/**
 * Temporary tables and sessions belong to one server, so the returned writer uses one. The key spreads work over the replicas. `replicas`
 * still lists all servers.
 *
 * If no server is ready, the writer uses one that responds. Throws the last error if none responds.
 */
export const pinToServer = async (
  writer: ClickHouseWriter,
  key: string,
  isReady: (replica: ClickHouseWriter) => Promise<boolean> = () => Promise.resolve(true),
): Promise<ClickHouseWriter> => {
  if (writer.replicas.length === 0) return writer;
  const requireReady = async (replica: ClickHouseWriter) => {
    if (!(await isReady(replica))) throw new Error(`the replica ${replica.server} is not ready`);
  };
  const responding: ClickHouseWriter[] = [];
  let failure: unknown;
  for (const replica of orderServers(key, writer.replicas))
    try {
      await replica.ping();
      responding.push(replica);
      await pRetry(() => requireReady(replica), readyRetries);
      return { ...replica, replicas: writer.replicas };
    } catch (error) {
      failure = error;
    }
  if (responding.length === 0) throw failure;
  return { ...responding[0]!, replicas: writer.replicas };
};

/** A replica that is behind the quorum of an insert refuses statements for a moment. */
const behindRetries = { retries: 5, minTimeout: 100, factor: 2 };

/** Errors for a table or dictionary that the replica has not created. */
const missingErrors = ['BAD_ARGUMENTS', 'UNKNOWN_TABLE'];

/**
 * For statements such as the reload of a dictionary. Skips a server that is unavailable or lacks the table or dictionary, unless the writer
 * currently uses it.
 */
export const runOnEachServer = async (writer: ClickHouseWriter, query: string): Promise<void> => {
  await Promise.all(
    writersOfServers(writer).map(async (server) => {
      const isOther = server.server !== writer.server;
      try {
        await pRetry(() => server.run(query), {
          ...behindRetries,
          shouldRetry: ({ error }) => isServerError(error) && isReplicaUnavailable(error),
        });
      } catch (error) {
        const maySkip = isReplicaUnavailable(error) || hasServerErrorType(error, missingErrors);
        if (!isOther || !maySkip) throw error;
      }
    }),
  );
};

const [replicationTimeoutMs, pollMs] = [20_000, 100];

/**
 * Throws unless a majority of the replicas, and at least two, have the table within 20 s.
 *
 * ClickHouse computes the quorum of an insert from the replicas that have the table. An insert into a table on one replica reaches
 * no quorum, and all further inserts into the table fail.
 */
export const untilReplicated = async (replica: ClickHouseWriter, table: string): Promise<void> => {
  if (replica.cluster === undefined) return;
  const countSql = `SELECT toFloat64(total_replicas) AS found,
      (SELECT toFloat64(count()) FROM system.clusters WHERE cluster = currentDatabase() AND database_replica_name != '') AS expected
    FROM system.replicas WHERE database = currentDatabase() AND table = {table:String}`;
  const giveUpAt = performance.now() + replicationTimeoutMs;
  for (;;) {
    const [row] = await replica.rows<{ found: number; expected: number }>(countSql, { params: { table } });
    const { found = 0, expected = 0 } = row ?? {};
    if (found >= 2 && found > expected / 2) return;
    if (performance.now() > giveUpAt)
      throw new Error(
        `table ${table} is on ${found} of ${expected} replicas; a write needs a majority and at least two`,
      );
    await sleep(pollMs);
  }
};
