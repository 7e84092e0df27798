import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { setSpanAttributes, type SpanOptions, runInSpan } from '../telemetry/index.ts';

export interface StatementOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * Session id. Statements with the same session id share temporary tables. After ClickHouse restarts, it rejects statements with
   * the session id of an earlier session.
   */
  readonly session?: string;
  readonly timeoutMs?: number;
  /** Maximum memory of the statement on the server, in bytes; default: no limit of its own. */
  readonly maxMemoryBytes?: number;
  /** Aborting this signal also stops the statement on the server. */
  readonly signal?: AbortSignal;
}

/**
 * The client times out this many ms after the server. The caller therefore receives the server's error, which contains the
 * reason.
 */
const graceMs = 3_000;
const killTimeoutMs = 5_000;
/**
 * While a statement returns no data, ClickHouse sends this many progress headers within one socket timeout. Otherwise, the client
 * would treat the connection as broken.
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

/** Returns a function that builds the client's parameters for a statement. */
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
      // If the client disconnects, the statement continues to run on the server until this time limit.
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

/** A statement that is being executed. */
interface RunningStatement {
  /** Identifies the statement on the server. */
  readonly id: string;
  /** Aborts when the statement is cancelled. */
  readonly signal: AbortSignal;
}

/** Executes statements so that they can be cancelled, each by the caller's signal or all at once. */
interface CancellableStatements {
  execute<T>(signal: AbortSignal | undefined, work: (running: RunningStatement) => Promise<T>): Promise<T>;
  cancelAll(): void;
}

/**
 * A cancelled statement is also killed on the server; otherwise it would continue after the client disconnects.
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
    async execute(signal, work) {
      signal?.throwIfAborted();
      if (isCancelled) throw new StatementsCancelled('aborted: the statements of this client were cancelled');
      const id = recordQueryId(randomUUID());
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
 * Writes to ClickHouse. Throws ClickHouseError if the server rejected a statement. Any other error means that the connection is
 * broken.
 */
export interface ClickHouseWriter {
  insert(insert: Insert): Promise<void>;
  run(query: string, options?: StatementOptions): Promise<void>;
  rows<Row>(query: string, options?: StatementOptions): Promise<Row[]>;
  /** Throws if the server does not accept the settings that writes rely on. */
  assertSettings(): Promise<void>;
  /** Creates the database if it does not exist. */
  createDatabase(): Promise<void>;
  ping(): Promise<void>;
  /**
   * Cancels the running statements and inserts, also on the server, and refuses further ones. A process that stops calls this when
   * it cannot wait for their end.
   */
  cancelStatements(): void;
  close(): Promise<void>;
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

/** ClickHouse settings that writes rely on. They are set explicitly because defaults differ between ClickHouse versions. */
const writeSettings = {
  async_insert: 0,
  wait_for_async_insert: 1,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  input_format_parallel_parsing: 0,
  optimize_on_insert: 1,
  allow_nonconst_timezone_arguments: 1,
  join_use_nulls: 0,
  join_algorithm: 'hash',
  // With 0, the server runs joins in the order they appear in the statement. Statements list the most selective join first.
  // Temporary tables have no statistics, so the server would choose a worse order.
  query_plan_optimize_join_order_limit: '0',
  max_insert_threads: '1',
  // 0 removes the limit on partitions per insert. One batch may contain plays and heartbeats from any month since 2000. With a
  // limit, the server would reject a batch with too many months, and the projection would stop.
  max_partitions_per_insert_block: '0',
} as const;

/** Settings for replays. A replay builds a generation in the background, so its statements have low priority. */
const lowPrioritySettings = {
  os_thread_priority: '10',
  // Statements yield to queries with priority 1 (deploy/clickhouse/users.xml), but only for up to 20 ms at a time. Replays
  // therefore always make progress.
  priority: '5',
  low_priority_query_wait_time_ms: '20',
} as const;

/** Throws if the server does not accept a setting. The error names each such setting and its value. */
const assertWriteSettings = async (client: ClickHouseClient): Promise<void> => {
  const names = Object.keys(writeSettings);
  const result = await client.query({
    query: 'SELECT name, value FROM system.settings WHERE name IN {names:Array(String)}',
    query_params: { names },
    clickhouse_settings: writeSettings,
    format: 'JSONEachRow',
  });
  const actual = new Map(
    (await result.json<{ name: string; value: string }>()).map(({ name, value }) => [name, value]),
  );
  const wrong = Object.entries(writeSettings).filter(([name, value]) => actual.get(name) !== String(value));
  if (wrong.length > 0)
    throw new Error(
      `ClickHouse does not accept the settings that projections rely on: ${wrong
        .map(([name, value]) => `${name} should be ${value}, is ${actual.get(name) ?? 'unknown'}`)
        .join('; ')}`,
    );
};

export interface ClickHouseWriterOptions {
  /** URL of the server; its path is the name of the database. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /**
   * Set if this client's statements yield to the statements of other clients. They then have longer time limits. `threads`: maximum
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
/**
 * Maximum size of the response headers, in bytes. ClickHouse sends the progress of a running statement as headers. If a statement
 * runs for an hour, its headers exceed Node's default limit of 16 KiB.
 */
const maxHeaderBytes = 1024 * 1024;

export const openClickHouseWriter = (options: ClickHouseWriterOptions): ClickHouseWriter => {
  const { url, username, password, lowPriority } = options;
  const database = new URL(url).pathname.slice(1) || 'popsvc';
  const { insertMs, statementMs } = timeouts[lowPriority ? 'lowPriority' : 'standard'];
  const { socketTimeoutMs = statementMs + 60_000 } = options;
  const server = new URL('/', url).toString();
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
      ? { ...writeSettings, ...lowPrioritySettings, max_threads: lowPriority.threads }
      : writeSettings,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const buildStatement = createStatementBuilder({ timeoutMs: statementMs, socketTimeoutMs });
  const statements = createCancellableStatements(client);
  return tracedWriter({
    database,
    credentials: { username, password },
    insert: ({ table, columns, body, token }) =>
      statements.execute(undefined, async ({ id, signal }) => {
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
    run: (query, options = {}) =>
      statements.execute(options.signal, async (running) => {
        await client.command(buildStatement(query, options, running));
      }),
    rows: <Row>(query: string, options: StatementOptions = {}) =>
      statements.execute(options.signal, async (running) =>
        (await client.query({ ...buildStatement(query, options, running), format: 'JSONEachRow' })).json<Row>(),
      ),
    async createDatabase() {
      // This client does not select a database, because ClickHouse rejects every statement from a client whose database does not
      // exist.
      const withoutDatabase = createClient({ url: server, username, password, log: { level: ClickHouseLogLevel.OFF } });
      try {
        const query = `CREATE DATABASE IF NOT EXISTS ${database}`;
        const options = { timeoutMs: createDatabaseTimeoutMs };
        await statements.execute(undefined, (running) =>
          withoutDatabase.command(buildStatement(query, options, running)),
        );
      } finally {
        await withoutDatabase.close();
      }
    },
    assertSettings: () => assertWriteSettings(client),
    async ping() {
      const result = await client.ping({ select: true });
      if (!result.success) throw result.error;
    },
    cancelStatements: () => statements.cancelAll(),
    close: () => client.close(),
  });
};

/** Reads the names of the time zones that ClickHouse supports. */
export const readTimeZones = async (writer: ClickHouseWriter): Promise<ReadonlySet<string>> => {
  const zones = await writer.rows<{ time_zone: string }>('SELECT time_zone FROM system.time_zones');
  return new Set(zones.map(({ time_zone }) => time_zone));
};
