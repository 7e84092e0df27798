import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { setSpanAttributes, type SpanOptions, runInSpan } from '../telemetry/index.ts';

export interface StatementOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  /** Session id. Statements of a session share its temporary tables; after a restart ClickHouse rejects them. */
  readonly session?: string;
  readonly timeoutMs?: number;
  /** Aborting it also ends the statement in the server. */
  readonly signal?: AbortSignal;
}

/** The client gives up this much later than the server, so that the server's error with the reason arrives first. */
const graceMs = 3_000;
const killTimeoutMs = 5_000;
/** Progress headers sent within the time after which a silent connection counts as broken. */
const progressHeadersPerTimeout = 4;

/** Records the id under which ClickHouse's query log holds the statement. */
const recordQueryId = (id: string): string => {
  setSpanAttributes(() => ({ 'clickhouse.query_id': id }));
  return id;
};

interface StatementTimeouts {
  /** Default time limit of a statement. */
  readonly timeoutMs: number;
  readonly socketTimeoutMs: number;
}

/** Returns a function that builds the client's request for a statement. */
const createStatementBuilder =
  ({ timeoutMs: defaultTimeoutMs, socketTimeoutMs }: StatementTimeouts) =>
  (query: string, { params = {}, session, timeoutMs = defaultTimeoutMs, signal }: StatementOptions) => ({
    query,
    query_id: recordQueryId(randomUUID()),
    query_params: { ...params },
    abort_signal: AbortSignal.any([AbortSignal.timeout(timeoutMs + graceMs), ...(signal ? [signal] : [])]),
    clickhouse_settings: {
      // Without its own limit, the server continues a statement whose client disconnected.
      max_execution_time: Math.ceil(timeoutMs / 1_000),
      // An aggregation over a whole table sends no data before its end. Progress headers keep the connection alive until then.
      ...(timeoutMs + graceMs > socketTimeoutMs && {
        send_progress_in_http_headers: 1 as const,
        http_headers_progress_interval_ms: String(Math.ceil(socketTimeoutMs / progressHeadersPerTimeout)),
      }),
    },
    ...(session !== undefined && { session_id: session }),
  });

/** Waits for a statement. When the signal aborts, ends it in the server, which would continue it after the client disconnects. */
const killOnAbort = async <T>(
  client: ClickHouseClient,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted();
  let killing: Promise<unknown> | undefined;
  const kill = () => {
    killing = client
      .command({
        query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
        query_params: { id },
        abort_signal: AbortSignal.timeout(killTimeoutMs),
      })
      .catch(() => undefined);
  };
  signal?.addEventListener('abort', kill, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', kill);
    await killing;
  }
};

export interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly body: Buffer;
  /** Deduplication token, new in every run of the process: repeating one after a crash can lose data (exactly-once.md, fact 1). */
  readonly token: string;
}

/** Writes to ClickHouse. Errors are ClickHouseError if the server rejected a statement; any other error means a broken connection. */
export interface ClickHouseWriter {
  insert(insert: Insert): Promise<void>;
  run(query: string, options?: StatementOptions): Promise<void>;
  rows<Row>(query: string, options?: StatementOptions): Promise<Row[]>;
  /** Throws if the server does not accept the settings that writes rely on. */
  assertSettings(): Promise<void>;
  /** Creates the database if it does not exist. */
  createDatabase(): Promise<void>;
  ping(): Promise<void>;
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

/** Wraps a writer so that each statement has a span, without its text. */
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

/**
 * The settings that writes rely on (exactly-once.md 1.8). They are set explicitly because defaults differ between ClickHouse
 * versions.
 */
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
  // Joins are written from the most selective on. The server has no statistics of temporary tables and would choose a worse order.
  query_plan_optimize_join_order_limit: '0',
  max_insert_threads: '1',
  // Plays and heartbeats of any month since 2000 may be in one batch. Rejecting the batch would stop the projection.
  max_partitions_per_insert_block: '0',
} as const;

/** For background builds: one thread, with low priority. */
const lowPrioritySettings = {
  max_threads: 1,
  os_thread_priority: '10',
  // Yields to queries of priority 1 (deploy/clickhouse/users.xml), but for at most 20 ms at a time, so that it makes progress.
  priority: '5',
  low_priority_query_wait_time_ms: '20',
} as const;

/** Throws with the names of the settings whose value the server does not accept. */
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
  /** The path is the database. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Its statements yield to those of other clients and have longer time limits. */
  readonly isLowPriority?: boolean;
  /** The maximum time without data on a connection; default: a minute more than the default time limit of a statement. */
  readonly socketTimeoutMs?: number;
}

export const isServerError = (error: unknown): boolean => error instanceof ClickHouseError;

const [timedOut, outOfMemory] = ['159', '241'];

/** Whether the server cancelled a statement because it exceeded its time or memory limit. */
export const isResourceLimitExceeded = (error: unknown): boolean =>
  error instanceof ClickHouseError && (error.code === timedOut || error.code === outOfMemory);

/** Low-priority statements take longer, and a cancelled one has to be repeated from its beginning. */
const timeouts = {
  standard: { insertMs: 10_000, statementMs: 60_000 },
  lowPriority: { insertMs: 120_000, statementMs: 900_000 },
};
const createDatabaseTimeoutMs = 20_000;
/** Holds the progress headers of a statement that runs for an hour. */
const maxHeaderBytes = 1024 * 1024;

export const openClickHouseWriter = (options: ClickHouseWriterOptions): ClickHouseWriter => {
  const { url, username, password, isLowPriority: isLowPriority = false } = options;
  const database = new URL(url).pathname.slice(1) || 'popsvc';
  const { insertMs, statementMs } = timeouts[isLowPriority ? 'lowPriority' : 'standard'];
  const { socketTimeoutMs = statementMs + 60_000 } = options;
  const server = new URL('/', url).toString();
  const client = createClient({
    url: server,
    username,
    password,
    database,
    application: 'popsvc-projectors',
    // The maximum time without data on a connection. Each statement has its own time limit.
    request_timeout: socketTimeoutMs,
    max_response_headers_size: maxHeaderBytes,
    keep_alive: { idle_socket_ttl: 2_000 },
    clickhouse_settings: isLowPriority ? { ...writeSettings, ...lowPrioritySettings } : writeSettings,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const buildStatement = createStatementBuilder({ timeoutMs: statementMs, socketTimeoutMs });
  return tracedWriter({
    database,
    credentials: { username, password },
    async insert({ table, columns, body, token }) {
      const { stream } = await client.exec({
        query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT RowBinary`,
        values: Readable.from([body]),
        abort_signal: AbortSignal.timeout(insertMs),
        clickhouse_settings: { insert_deduplication_token: token, max_execution_time: insertMs / 1_000 },
      });
      stream.resume();
      await finished(stream);
    },
    async run(query, options = {}) {
      const statement = buildStatement(query, options);
      await killOnAbort(client, { id: statement.query_id, signal: options.signal }, () => client.command(statement));
    },
    rows<Row>(query: string, options: StatementOptions = {}) {
      const statement = buildStatement(query, options);
      return killOnAbort(client, { id: statement.query_id, signal: options.signal }, async () =>
        (await client.query({ ...statement, format: 'JSONEachRow' })).json<Row>(),
      );
    },
    async createDatabase() {
      // ClickHouse rejects every statement of a client whose database does not exist.
      const withoutDatabase = createClient({ url: server, username, password, log: { level: ClickHouseLogLevel.OFF } });
      try {
        const query = `CREATE DATABASE IF NOT EXISTS ${database}`;
        await withoutDatabase.command(buildStatement(query, { timeoutMs: createDatabaseTimeoutMs }));
      } finally {
        await withoutDatabase.close();
      }
    },
    assertSettings: () => assertWriteSettings(client),
    async ping() {
      const result = await client.ping({ select: true });
      if (!result.success) throw result.error;
    },
    close: () => client.close(),
  });
};

/** Reads the names of the time zones that ClickHouse supports. */
export const readTimeZones = async (writer: ClickHouseWriter): Promise<ReadonlySet<string>> => {
  const zones = await writer.rows<{ time_zone: string }>('SELECT time_zone FROM system.time_zones');
  return new Set(zones.map(({ time_zone }) => time_zone));
};
