import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import pRetry from 'p-retry';
import { setSpanAttributes, type SpanOptions, runInSpan } from '../telemetry/index.ts';
import { onlyShard, type Shard } from '@popsvc/domain/partitioning';
import { quoteString, type TableLayout } from './tables.ts';
import { describeShard } from './servers.ts';
import { createShardGuard, requireShard } from './shard-check.ts';
import { assertWriteSettings, lowPrioritySettings, writeSettings } from './write-settings.ts';

export interface StatementOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * Session id. Statements with the same session id share temporary tables, and their query ids begin with it. A restart of
   * ClickHouse removes the temporary tables.
   */
  readonly session?: string;
  readonly timeoutMs?: number;
  /** Maximum memory of the statement on the server, in bytes; default: no limit of its own. */
  readonly maxMemoryBytes?: number;
  /** Aborting this signal also stops the statement on the server. */
  readonly signal?: AbortSignal;
}

/**
 * The client times out this many ms after the server, so that the caller receives the error of the server, which contains the
 * reason.
 */
const graceMs = 3_000;
const killTimeoutMs = 5_000;
/**
 * While a long statement returns no data, ClickHouse sends this many progress headers within one socket timeout. Without them, the
 * client would consider the connection broken.
 */
const progressHeadersPerTimeout = 4;

/** Records the query id in the current span. The statement can be found by this id in ClickHouse's query log. */
const recordQueryId = (id: string): string => {
  setSpanAttributes(() => ({ 'clickhouse.query_id': id }));
  return id;
};

interface StatementTimeouts {
  /** Default time limit of a statement, in ms. */
  readonly timeoutMs: number;
  readonly socketTimeoutMs: number;
}

const createStatementBuilder =
  ({ timeoutMs: defaultTimeoutMs, socketTimeoutMs }: StatementTimeouts) =>
  (
    query: string,
    { params = {}, session, timeoutMs = defaultTimeoutMs, maxMemoryBytes }: StatementOptions,
    running: RunningStatement,
  ) => ({
    query,
    query_id: running.id,
    query_params: { ...params },
    abort_signal: AbortSignal.any([AbortSignal.timeout(timeoutMs + graceMs), running.signal]),
    clickhouse_settings: {
      // If the client disconnects, the statement continues to run on the server until this time limit, or until it is killed.
      max_execution_time: Math.ceil(timeoutMs / 1_000),
      ...(maxMemoryBytes !== undefined && { max_memory_usage: String(maxMemoryBytes) }),
      // An aggregation over a whole table sends no data until it ends. Progress headers keep the connection alive until then.
      ...(timeoutMs + graceMs > socketTimeoutMs && {
        send_progress_in_http_headers: 1 as const,
        http_headers_progress_interval_ms: String(Math.ceil(socketTimeoutMs / progressHeadersPerTimeout)),
      }),
    },
    ...(session !== undefined && { session_id: session }),
  });

interface RunningStatement {
  readonly id: string;
  readonly signal: AbortSignal;
}

/** Executes statements so that they can be cancelled, each by the caller's signal or all at once. */
interface CancellableStatements {
  execute<T>(
    statement: Pick<StatementOptions, 'signal' | 'session'>,
    work: (running: RunningStatement) => Promise<T>,
  ): Promise<T>;
  cancelAll(): void;
}

/**
 * Cancels statements on the client and kills them on the server. Without the kill, the server would continue a statement after the
 * client has disconnected.
 */
const createCancellableStatements = (client: ClickHouseClient): CancellableStatements => {
  const cancels = new Set<() => void>();
  let isCancelled = false;
  const kill = (id: string) =>
    client
      .command({
        query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
        query_params: { id },
        abort_signal: AbortSignal.timeout(killTimeoutMs),
      })
      .catch(() => undefined);
  return {
    async execute({ signal, session = '' }, work) {
      signal?.throwIfAborted();
      if (isCancelled) throw new StatementsCancelled('aborted: the statements of this client were cancelled');
      const id = recordQueryId(`${session}${randomUUID()}`);
      const controller = new AbortController();
      let killing: Promise<unknown> | undefined;
      const cancel = () => {
        controller.abort(signal?.reason);
        killing ??= kill(id);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      cancels.add(cancel);
      try {
        return await work({ id, signal: controller.signal });
      } finally {
        signal?.removeEventListener('abort', cancel);
        cancels.delete(cancel);
        await killing;
      }
    },
    cancelAll() {
      isCancelled = true;
      for (const cancel of [...cancels]) cancel();
    },
  };
};

/** `cancelStatements` was called before this statement began. */
class StatementsCancelled extends Error {
  override readonly name = 'StatementsCancelled';
}

export interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly body: Buffer;
  /**
   * Deduplication token. A restarted process must not reuse its earlier tokens, because data can be lost if a token is reused
   * after a crash (docs/decisions/0002-event-sourcing.md).
   */
  readonly token: string;
}

/**
 * Writes to ClickHouse. Throws ClickHouseError if the server rejects a statement. Throws WrongShardError, without executing the
 * statement, if the database belongs to another shard. Any other error means that the statement was cancelled or timed out, or that
 * the connection is broken.
 */
export interface ClickHouseWriter {
  insert(insert: Insert): Promise<void>;
  run(query: string, options?: StatementOptions): Promise<void>;
  rows<Row>(query: string, options?: StatementOptions): Promise<Row[]>;
  /** Throws if the server does not accept the settings that writes rely on. */
  assertSettings(): Promise<void>;
  /**
   * Creates the database of the writer, or the one called `name`, if it does not exist. On a cluster, creates it on every
   * replica that responds.
   */
  createDatabase(name?: string): Promise<void>;
  /**
   * Throws if the server does not respond, or if its database belongs to another shard. With several servers, throws only if all of
   * them fail.
   */
  ping(): Promise<void>;
  /**
   * Cancels the running statements and inserts, also on the server, and refuses further ones. A process calls this when it must
   * stop before they end.
   */
  cancelStatements(): void;
  close(): Promise<void>;
  /** Address of the server; of the preferred one if there are several. */
  readonly server: string;
  /** A writer for each replica, in the order of CLICKHOUSE_URL; empty if it names one server. */
  readonly replicas: readonly ClickHouseWriter[];
  /** Name of the cluster, whose tables are replicated; undefined: a single server. */
  readonly cluster: string | undefined;
  readonly shard: Shard;
  readonly database: string;
  readonly credentials: { readonly username: string; readonly password: string };
}

const writeSpan = (operation: string, table?: string): SpanOptions => ({
  name: `clickhouse ${operation}`,
  kind: 'client',
  attributes: {
    'db.system.name': 'clickhouse',
    'db.operation.name': operation,
    ...(table !== undefined && { 'db.collection.name': table }),
  },
});

const operationOf = (query: string): string => /^\s*(\w+)/.exec(query)?.[1]?.toUpperCase() ?? 'statement';

/** Wraps a writer to create a span for every statement. The span does not contain the statement's text. */
const tracedWriter = (writer: ClickHouseWriter): ClickHouseWriter => ({
  ...writer,
  insert: (insert) =>
    runInSpan(
      () => writeSpan('INSERT', insert.table),
      () => writer.insert(insert),
    ),
  run: (query, options) =>
    runInSpan(
      () => writeSpan(operationOf(query)),
      () => writer.run(query, options),
    ),
  rows: <Row>(query: string, options?: StatementOptions) =>
    runInSpan(
      () => writeSpan(operationOf(query)),
      () => writer.rows<Row>(query, options),
    ),
});

export interface ClickHouseWriterOptions extends TableLayout {
  /**
   * URL of the server, or of the replicas of a shard, separated by commas. `openShardWriters` takes such a list for each shard,
   * separated by semicolons. The path of each URL is the name of the database.
   */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /**
   * Set if the statements of this client yield to those of other clients. They then have longer time limits. `threads`: maximum
   * number of threads of a statement.
   */
  readonly lowPriority?: { readonly threads: number };
  /** Maximum time without data on a connection, in ms. Default: the default time limit of a statement plus one minute. */
  readonly socketTimeoutMs?: number;
}

export const isServerError = (error: unknown): boolean => error instanceof ClickHouseError;

const [timedOut, outOfMemory] = ['159', '241'];

/** Returns whether the server cancelled a statement because it exceeded its time or memory limit. */
export const isResourceLimitExceeded = (error: unknown): boolean =>
  error instanceof ClickHouseError && (error.code === timedOut || error.code === outOfMemory);

/**
 * Default time limits. Low-priority statements have longer limits, because they run more slowly, and a cancelled statement starts
 * again from the beginning.
 */
const timeouts = {
  standard: { insertMs: 10_000, statementMs: 60_000 },
  lowPriority: { insertMs: 120_000, statementMs: 900_000 },
};
const createDatabaseTimeoutMs = 20_000;
const pingTimeoutMs = 3_000;
/**
 * Maximum size of the response headers, in bytes. ClickHouse sends the progress of a running statement as headers. If a statement
 * runs for an hour, its headers exceed Node's default limit of 16 KiB.
 */
const maxHeaderBytes = 1024 * 1024;

/** Returns whether an insert failed because the quorum of the previous insert was not complete. The failed insert wrote nothing. */
const isQuorumBusy = (error: unknown): boolean =>
  error instanceof ClickHouseError && error.type === 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE';

/** The retries take about 15 s in sum. After the loss of a replica, inserts pause for a shorter time. */
const quorumRetries = { retries: 20, minTimeout: 50, maxTimeout: 1_000, factor: 1.6, randomize: true };

/** Repeats a statement, with the same rows and token, while the quorum of the previous insert is not complete. */
const retryWhileQuorumIsBusy = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
  pRetry(work, { ...quorumRetries, ...(signal && { signal }), shouldRetry: ({ error }) => isQuorumBusy(error) });

/** Each shard has a path of its own in Keeper, because statements that change the schema reach all databases with the same path. */
const databaseEngine = (name: string, { index, of }: Shard): string => {
  const path = `/clickhouse/databases/${name}${of === 1 ? '' : `/shards/${index + 1}`}`;
  // ClickHouse replaces the macros by the shard and the name of each server.
  return ` ENGINE = Replicated('${path}', '{shard}', '{replica}')`;
};

const createDatabaseSql = (name: string, { cluster, shard = onlyShard }: TableLayout): string =>
  `CREATE DATABASE IF NOT EXISTS ${name}` +
  (cluster === undefined ? '' : databaseEngine(name, shard)) +
  (shard.of === 1 ? '' : ` COMMENT ${quoteString(describeShard(shard))}`);

/**
 * Throws if an existing database belongs to another shard, or if the database of a cluster is not replicated: its tables would then
 * be on one replica only.
 */
const requireDatabaseOf = async (
  client: ClickHouseClient,
  { cluster, shard = onlyShard }: TableLayout,
  { name, server }: { readonly name: string; readonly server: string },
): Promise<void> => {
  const result = await client.query({
    query: 'SELECT engine, comment FROM system.databases WHERE name = {name:String}',
    query_params: { name },
    format: 'JSONEachRow',
  });
  const [{ engine, comment } = { engine: 'unknown', comment: '' }] = await result.json<{
    engine: string;
    comment: string;
  }>();
  if (cluster !== undefined && engine !== 'Replicated')
    throw new Error(
      `database ${name} on ${server} has the engine ${engine}, and CLICKHOUSE_CLUSTER requires Replicated; name another database in ` +
        'CLICKHOUSE_URL, and the projections fill it from the log',
    );
  requireShard({ server, database: name, shard }, comment);
};

/** Opens a writer for one server. `server`: its address without a path. */
export const openServerWriter = (
  { server, database }: { readonly server: string; readonly database: string },
  options: ClickHouseWriterOptions,
): ClickHouseWriter => {
  const { username, password, lowPriority, cluster, shard = onlyShard } = options;
  const { insertMs, statementMs } = timeouts[lowPriority ? 'lowPriority' : 'standard'];
  const { socketTimeoutMs = statementMs + 60_000 } = options;
  const settings = writeSettings(options);
  const client = createClient({
    url: server,
    username,
    password,
    database,
    application: 'popsvc-projectors',
    // Maximum time without data on a connection. The total duration of a statement has a separate limit.
    request_timeout: socketTimeoutMs,
    max_response_headers_size: maxHeaderBytes,
    keep_alive: { idle_socket_ttl: 2_000 },
    clickhouse_settings: lowPriority
      ? { ...settings, ...lowPrioritySettings, max_threads: lowPriority.threads }
      : settings,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const buildStatement = createStatementBuilder({ timeoutMs: statementMs, socketTimeoutMs });
  const statements = createCancellableStatements(client);
  const guard = createShardGuard(client, { server, database, shard });
  const execute: CancellableStatements['execute'] = (statement, work) =>
    statements.execute(statement, (running) => guard.run(running.signal, () => work(running)));
  const retryInsert = cluster === undefined ? <T>(work: () => Promise<T>) => work() : retryWhileQuorumIsBusy;
  return tracedWriter({
    server,
    replicas: [],
    cluster,
    shard,
    database,
    credentials: { username, password },
    insert: ({ table, columns, body, token }) =>
      retryInsert(() =>
        execute({}, async ({ id, signal }) => {
          const { stream } = await client.exec({
            query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT RowBinary`,
            query_id: id,
            values: Readable.from([body]),
            abort_signal: AbortSignal.any([AbortSignal.timeout(insertMs), signal]),
            clickhouse_settings: { insert_deduplication_token: token, max_execution_time: insertMs / 1_000 },
          });
          stream.resume();
          await finished(stream);
        }),
      ),
    run: (query, options = {}) =>
      retryInsert(
        () =>
          execute(options, async (running) => {
            await client.command(buildStatement(query, options, running));
          }),
        options.signal,
      ),
    rows: <Row>(query: string, options: StatementOptions = {}) =>
      execute(options, async (running) =>
        (await client.query({ ...buildStatement(query, options, running), format: 'JSONEachRow' })).json<Row>(),
      ),
    async createDatabase(name = database) {
      // This client selects no database. ClickHouse would reject every statement of a client whose database does not exist.
      const withoutDatabase = createClient({ url: server, username, password, log: { level: ClickHouseLogLevel.OFF } });
      try {
        const query = createDatabaseSql(name, options);
        await statements.execute({}, (running) =>
          withoutDatabase.command(buildStatement(query, { timeoutMs: createDatabaseTimeoutMs }, running)),
        );
        await requireDatabaseOf(withoutDatabase, options, { name, server });
      } finally {
        await withoutDatabase.close();
      }
    },
    assertSettings: () => assertWriteSettings(client, options),
    async ping() {
      const result = await client.ping({ select: true, abort_signal: AbortSignal.timeout(pingTimeoutMs) });
      if (!result.success) throw result.error;
      await guard.check();
    },
    cancelStatements: () => statements.cancelAll(),
    close: () => client.close(),
  });
};
