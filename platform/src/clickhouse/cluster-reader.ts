import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { onlyShard, type Shard } from '@popsvc/domain/partitioning';
import { isDataDamaged, isReplicaUnavailable } from './reader-errors.ts';
import { withDeadline } from '../runtime/index.ts';
import { type ClickHouseReader, type ClickHouseReaderOptions, openServerReader, type QueryOptions } from './reader.ts';
import { listShardsOf, orderServers, parseServers } from './servers.ts';
import { checkTimeoutMs, findWrongShard } from './shard-check.ts';
import { type Sql, sql, sqlText } from './sql.ts';
import type { TableLayout } from './tables.ts';

export interface ReplicaLayout extends TableLayout {
  readonly database: string;
}

export type IsReplicaReady = (replica: ClickHouseReader, layout: ReplicaLayout) => Promise<boolean>;

/** A replica is not checked until this many ms after its last failed check or query. */
const checkAgainMs = 250;

/** A change of the schema may make all replicas unready for a moment, so a query waits and tries again. */
const [attempts, pauseMs] = [3, 300];

interface ReadyState {
  readonly damagedParts: number;
}

interface Replica {
  readonly server: string;
  readonly reader: ClickHouseReader;
  /** Returns undefined until a check succeeds, and again after each failed check or query. */
  findReadyState(): ReadyState | undefined;
  /** Resolves with false at once if a check or query failed within the last `checkAgainMs`. Concurrent calls share one check. */
  check(): Promise<boolean>;
  findCheckError(): unknown;
  isUnchanged(state: ReadyState, signal: AbortSignal): Promise<boolean>;
  recordFailure(): void;
}

const createReplica = (
  server: string,
  reader: ClickHouseReader,
  { isReady, layout }: { readonly isReady: IsReplicaReady; readonly layout: ReplicaLayout },
): Replica => {
  let ready: ReadyState | undefined;
  let failedAtMs = -Infinity;
  let checkError: unknown;
  let checking: Promise<boolean> | undefined;
  const countDamaged = (signal: AbortSignal) =>
    countDamagedParts(layout, (query) => reader.rows(sql`${sqlText(query)}`, { signal }));
  const recordFailure = () => {
    ready = undefined;
    failedAtMs = performance.now();
  };
  const runCheck = async (): Promise<boolean> => {
    try {
      // The count precedes the check, so that `isUnchanged` also notices a part that ClickHouse finds damaged during the check.
      const damagedParts = await countDamaged(AbortSignal.timeout(checkTimeoutMs));
      checkError = undefined;
      if (await withDeadline(isReady(reader, layout), checkTimeoutMs, 'checking a replica')) ready = { damagedParts };
      else recordFailure();
    } catch (error) {
      checkError = error;
      recordFailure();
    }
    return ready !== undefined;
  };
  return {
    server,
    reader,
    findReadyState: () => ready,
    async check() {
      if (performance.now() - failedAtMs <= checkAgainMs) return false;
      checking ??= runCheck().finally(() => (checking = undefined));
      return checking;
    },
    findCheckError: () => checkError,
    isUnchanged: async ({ damagedParts }, signal) => (await countDamaged(signal)) === damagedParts,
    recordFailure,
  };
};

/** If a replica is ready already, returns at once; the checks of the other replicas then continue in the background. */
const waitUntilOneIsReady = async (replicas: readonly Replica[], signal: AbortSignal | undefined): Promise<void> => {
  const checks = replicas
    .filter((replica) => !replica.findReadyState())
    .map(async (replica) => {
      if (!(await replica.check())) throw new Error(`${replica.server} is not ready`);
    });
  const first = Promise.any(checks).catch(() => undefined);
  if (checks.length < replicas.length || signal?.aborted) return;
  const ended = new AbortController();
  const aborted = signal && once(signal, 'abort', { signal: ended.signal }).catch(() => undefined);
  await Promise.race([first, ...(aborted ? [aborted] : [])]);
  ended.abort();
};

const [pingIntervalMs, maxMissedPings] = [5_000, 2];

type AbortableOptions = QueryOptions & { readonly signal: AbortSignal };

/** A lost machine closes no connections, so without pings, a query would wait until its time limit. */
const whileResponding = async <T>(
  { reader }: Replica,
  options: QueryOptions,
  work: (options: AbortableOptions) => Promise<T>,
): Promise<T> => {
  const lost = new AbortController();
  let isOver = false;
  let missed = 0;
  const ping = async () => {
    try {
      await reader.ping();
      missed = 0;
    } catch (error) {
      // A server that responds with an error, for example because it is overloaded, may still complete the query.
      missed = isReplicaUnavailable(error) ? missed + 1 : 0;
      // The work of a download is over as soon as its stream is open. A ping that is still running must not abort that stream.
      if (!isOver && missed === maxMissedPings) lost.abort(error);
    }
  };
  const pinging = setInterval(() => void ping(), pingIntervalMs);
  try {
    const signals = options.signal ? [options.signal, lost.signal] : [lost.signal];
    return await work({ ...options, signal: AbortSignal.any(signals) });
  } finally {
    isOver = true;
    clearInterval(pinging);
  }
};

/**
 * Each replica shows all acknowledged inserts, so a failed query can be repeated on another one. A result is not used if the replica found
 * a damaged part since its check, because rows may be missing.
 */
const createClusterReader = (replicas: readonly Replica[]): ClickHouseReader => {
  const useOne = async <T>(
    work: (reader: ClickHouseReader, options: AbortableOptions) => Promise<T>,
    callerOptions: QueryOptions = {},
    discard?: (result: T) => void,
  ): Promise<T> => {
    let failure: Error | undefined;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if (attempt > 1) await sleep(pauseMs);
      await waitUntilOneIsReady(replicas, callerOptions.signal);
      for (const replica of replicas) {
        const state = replica.findReadyState();
        if (!state) continue;
        try {
          const result = await whileResponding(replica, callerOptions, async (options) => {
            const found = await work(replica.reader, options);
            let isUnchanged = false;
            try {
              isUnchanged = await replica.isUnchanged(state, options.signal);
            } finally {
              if (!isUnchanged) discard?.(found);
            }
            return isUnchanged ? { found } : undefined;
          });
          if (result) return result.found;
          replica.recordFailure();
        } catch (error) {
          // Another replica may have an intact copy of a damaged part.
          const mayAnotherSucceed = isReplicaUnavailable(error) || isDataDamaged(error);
          if (callerOptions.signal?.aborted || !mayAnotherSucceed) throw error;
          replica.recordFailure();
          failure = error as Error;
        }
      }
      if (callerOptions.signal?.aborted) break;
    }
    if (failure) throw failure;
    const errors = replicas.map((replica) => replica.findCheckError()).filter((error) => error !== undefined);
    const cause = errors.find((error) => findWrongShard(error)) ?? errors[0];
    throw new ApiError('UNAVAILABLE', 'No replica of ClickHouse is ready. Retry later.', { cause });
  };
  return {
    lines: (query, options) => useOne((reader, given) => reader.lines(query, given), options),
    rowBinary: (query, options) => useOne((reader, given) => reader.rowBinary(query, given), options),
    rows: <Row>(query: Sql, options?: QueryOptions) =>
      useOne((reader, given) => reader.rows<Row>(query, given), options),
    stream: (query, format, options) =>
      useOne(
        (reader, given) => reader.stream(query, format, given),
        options,
        (rows) => rows.destroy(),
      ),
    ping: () => useOne((reader) => reader.ping()),
    async close() {
      await Promise.all(replicas.map(({ reader }) => reader.close()));
    },
  };
};

const openReplicas = (options: ClickHouseReaderOptions, isReady: IsReplicaReady): readonly Replica[] => {
  const { servers, database } = parseServers(options.url);
  const { cluster, shard } = options;
  return servers.map((server) =>
    createReplica(server, openServerReader({ server, database }, options), {
      isReady,
      layout: { cluster, shard, database },
    }),
  );
};

/** Does not call `isReady` if there is only one shard and it has only one server. */
export const openClickHouseReader = (
  options: ClickHouseReaderOptions,
  isReady: IsReplicaReady = () => Promise.resolve(true),
): ClickHouseReader => {
  const { shard = onlyShard } = options;
  const replicas = openReplicas(options, isReady);
  return replicas.length === 1 && shard.of === 1
    ? replicas[0]!.reader
    : createClusterReader(orderServers(randomUUID(), replicas));
};

export const openAllShardsReader = (
  options: Omit<ClickHouseReaderOptions, 'shard' | 'readsAllShards'>,
  isReady: IsReplicaReady,
): ClickHouseReader => {
  const [first, ...others] = listShardsOf(options);
  if (others.length === 0) return openClickHouseReader(first!, isReady);
  const replicas = [first!, ...others].flatMap((each) => openReplicas({ ...each, readsAllShards: true }, isReady));
  return createClusterReader(orderServers(randomUUID(), replicas));
};

export interface ShardReader {
  readonly shard: Shard;
  readonly reader: ClickHouseReader;
}

export const openShardReaders = (
  options: Omit<ClickHouseReaderOptions, 'shard'>,
  isReady: IsReplicaReady,
): readonly ShardReader[] =>
  listShardsOf(options).map((one) => ({ shard: one.shard, reader: openClickHouseReader(one, isReady) }));

const damagedPartsSql =
  "SELECT toFloat64(sum(value)) AS n FROM system.events WHERE event = 'ReplicatedPartChecksFailed'";

/**
 * Returns how many checks of parts have failed since the replica started; 0 for a single server. Until a replica has fetched a damaged part
 * again, its queries return fewer rows, without an error. The queries of a single server fail instead.
 */
export const countDamagedParts = async (
  { cluster }: TableLayout,
  read: (query: string) => Promise<readonly { readonly n: number }[]>,
): Promise<number> => {
  if (cluster === undefined) return 0;
  const [row] = await read(damagedPartsSql);
  return row?.n ?? 0;
};
