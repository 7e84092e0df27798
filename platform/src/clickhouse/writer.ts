import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { setSpanAttributes, type SpanOptions, runInSpan } from '../telemetry/index.ts';

export interface StatementOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  /** Statements of one session see its temporary tables; a restarted server has lost them and refuses. */
  readonly session?: string;
  readonly timeoutMs?: number;
  /** When it is aborted, the server ends the statement as well. */
  readonly signal?: AbortSignal;
}

const graceMs = 3_000;
const killMs = 5_000;
/** So often at least the server is heard of in the time for which it may be silent. */
const words = 4;

/** Under this name ClickHouse's own log has it. */
const named = (id: string): string => {
  setSpanAttributes(() => ({ 'clickhouse.query_id': id }));
  return id;
};

/** Statements as the client takes them; the server may take `timeoutMs` for one, and a connection be silent for `silenceMs`. */
const statements =
  ({ timeoutMs: standardMs, silenceMs }: { readonly timeoutMs: number; readonly silenceMs: number }) =>
  (query: string, { params = {}, session, timeoutMs = standardMs, signal }: StatementOptions) => ({
    query,
    query_id: named(randomUUID()),
    query_params: { ...params },
    // A little later than the server, which says why.
    abort_signal: AbortSignal.any([AbortSignal.timeout(timeoutMs + graceMs), ...(signal ? [signal] : [])]),
    clickhouse_settings: {
      // The server goes on with a statement whose client left, unless it has a limit of its own.
      max_execution_time: Math.ceil(timeoutMs / 1_000),
      // What adds up all rows of a table answers at its end: until then its progress, in headers, says that it is at work.
      ...(timeoutMs + graceMs > silenceMs && {
        send_progress_in_http_headers: 1 as const,
        http_headers_progress_interval_ms: String(Math.ceil(silenceMs / words)),
      }),
    },
    ...(session !== undefined && { session_id: session }),
  });

/** Waits for a statement; once the signal is aborted it is ended in the server, which goes on when its client leaves. */
const endingWith = async <T>(
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
        abort_signal: AbortSignal.timeout(killMs),
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
  /** Fresh in every incarnation: a token told again after a crash can lose data (exactly-once.md, fact 1). */
  readonly token: string;
}

/** The writing side of ClickHouse. Errors: ClickHouseError for what the server refuses; anything else is a broken connection. */
export interface ClickHouseWriter {
  insert(insert: Insert): Promise<void>;
  run(query: string, options?: StatementOptions): Promise<void>;
  rows<Row>(query: string, options?: StatementOptions): Promise<Row[]>;
  assertSettings(): Promise<void>;
  /** CREATE DATABASE, when there is none of the name. */
  createDatabase(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
  readonly database: string;
  readonly credentials: { readonly username: string; readonly password: string };
}

const asked = (operation: string, table?: string): SpanOptions => ({
  name: `clickhouse ${operation}`,
  kind: 'client',
  attributes: {
    'db.system.name': 'clickhouse',
    'db.operation.name': operation,
    ...(table !== undefined && { 'db.collection.name': table }),
  },
});

const operationOf = (query: string): string => /^\s*(\w+)/.exec(query)?.[1]?.toUpperCase() ?? 'statement';

/** A writer whose statements are seen in traces, without their text. */
const tracedWriter = (writer: ClickHouseWriter): ClickHouseWriter => ({
  ...writer,
  insert: (insert) =>
    runInSpan(
      () => asked('INSERT', insert.table),
      () => writer.insert(insert),
    ),
  run: (query, options) =>
    runInSpan(
      () => asked(operationOf(query)),
      () => writer.run(query, options),
    ),
  rows: <Row>(query: string, options?: StatementOptions) =>
    runInSpan(
      () => asked(operationOf(query)),
      () => writer.rows<Row>(query, options),
    ),
});

/** What every write relies on; defaults moved between versions, so nothing is left to them (exactly-once.md 1.8). */
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
  // Joins are written in the order in which they narrow; without figures of temporary tables the server orders them for the worse.
  query_plan_optimize_join_order_limit: '0',
  max_insert_threads: '1',
  // Plays and heartbeats of any month since 2000 may come in one batch; a refusal would stop the projection for everyone.
  max_partitions_per_insert_block: '0',
} as const;

/** For work that nobody waits for: one core at most, and that one only while nobody else wants it. */
const gentleSettings = {
  max_threads: 1,
  os_thread_priority: '10',
  // Behind what has priority 1 (deploy/clickhouse/users.xml): a moment at a time, so that it never stands still.
  priority: '5',
  low_priority_query_wait_time_ms: '20',
} as const;

/** Throws, naming the setting, when the server does not hold what a write asks for. */
const assertWriteSettings = async (client: ClickHouseClient): Promise<void> => {
  const names = Object.keys(writeSettings);
  const result = await client.query({
    query: 'SELECT name, value FROM system.settings WHERE name IN {names:Array(String)}',
    query_params: { names },
    clickhouse_settings: writeSettings,
    format: 'JSONEachRow',
  });
  const held = new Map((await result.json<{ name: string; value: string }>()).map(({ name, value }) => [name, value]));
  const wrong = Object.entries(writeSettings).filter(([name, value]) => held.get(name) !== String(value));
  if (wrong.length > 0)
    throw new Error(
      `ClickHouse does not hold the settings projections rely on: ${wrong
        .map(([name, value]) => `${name} should be ${value}, is ${held.get(name) ?? 'unknown'}`)
        .join('; ')}`,
    );
};

export interface ClickHouseWriterOptions {
  /** The path is the database. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Its statements give way to those of others. */
  readonly isGentle?: boolean;
  /** For how long a connection may be without a byte; default a minute more than a statement may take. */
  readonly silenceMs?: number;
}

export const isServerError = (error: unknown): boolean => error instanceof ClickHouseError;

const [timedOut, outOfMemory] = ['159', '241'];

/** Whether the server gave a statement up because it took more time or memory than it may. */
export const isResourceLimitExceeded = (error: unknown): boolean =>
  error instanceof ClickHouseError && (error.code === timedOut || error.code === outOfMemory);

/** What gives way to others takes longer; what is given up half-way was done for nothing. */
const patience = {
  standard: { insertMs: 10_000, statementMs: 60_000 },
  gentle: { insertMs: 120_000, statementMs: 900_000 },
};
const createMs = 20_000;
/** Progress of an hour, told in headers. */
const headerBytes = 1024 * 1024;

export const openClickHouseWriter = (options: ClickHouseWriterOptions): ClickHouseWriter => {
  const { url, username, password, isGentle = false } = options;
  const database = new URL(url).pathname.slice(1) || 'popsvc';
  const { insertMs, statementMs } = patience[isGentle ? 'gentle' : 'standard'];
  const { silenceMs = statementMs + 60_000 } = options;
  const server = new URL('/', url).toString();
  const client = createClient({
    url: server,
    username,
    password,
    database,
    application: 'popsvc-projectors',
    // The time without a byte; each statement has a deadline of its own.
    request_timeout: silenceMs,
    max_response_headers_size: headerBytes,
    keep_alive: { idle_socket_ttl: 2_000 },
    clickhouse_settings: isGentle ? { ...writeSettings, ...gentleSettings } : writeSettings,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const statement = statements({ timeoutMs: statementMs, silenceMs });
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
      const asked = statement(query, options);
      await endingWith(client, { id: asked.query_id, signal: options.signal }, () => client.command(asked));
    },
    rows<Row>(query: string, options: StatementOptions = {}) {
      const asked = statement(query, options);
      return endingWith(client, { id: asked.query_id, signal: options.signal }, async () =>
        (await client.query({ ...asked, format: 'JSONEachRow' })).json<Row>(),
      );
    },
    async createDatabase() {
      // No statement can be sent with the name of a database that is not there.
      const bare = createClient({ url: server, username, password, log: { level: ClickHouseLogLevel.OFF } });
      try {
        await bare.command(statement(`CREATE DATABASE IF NOT EXISTS ${database}`, { timeoutMs: createMs }));
      } finally {
        await bare.close();
      }
    },
    assertSettings: () => assertWriteSettings(client),
    async ping() {
      const answer = await client.ping({ select: true });
      if (!answer.success) throw answer.error;
    },
    close: () => client.close(),
  });
};

/** The time zones that ClickHouse can compute with. */
export const readTimeZones = async (writer: ClickHouseWriter): Promise<ReadonlySet<string>> => {
  const zones = await writer.rows<{ time_zone: string }>('SELECT time_zone FROM system.time_zones');
  return new Set(zones.map(({ time_zone }) => time_zone));
};
