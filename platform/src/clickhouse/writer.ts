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
  /** Statements with the same session id share temporary tables, which a restart of ClickHouse removes. */
  readonly session?: string;
  readonly timeoutMs?: number;
  /** Maximum memory of the statement on the server, in bytes; default: no limit of its own. */
  readonly maxMemoryBytes?: number;
  /** Aborting this signal also stops the statement on the server. */
  readonly signal?: AbortSignal;
}

/** The client times out this many ms after the server, so that the caller receives the server's error with the reason. */
const graceMs = 3_000;
const killTimeoutMs = 5_000;
/** While a long statement returns no data, progress headers keep the client from considering the connection broken. */
const progressHeadersPerTimeout = 4;

const recordQueryId = (id: string): string => {
  setSpanAttributes(() => ({ 'clickhouse.query_id': id }));
  return id;
};

interface StatementTimeouts {
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
      // If the client disconnects, the statement continues on the server until this time limit, or until it is killed.
      max_execution_time: Math.ceil(timeoutMs / 1_000),
      ...(maxMemoryBytes !== undefined && { max_memory_usage: String(maxMemoryBytes) }),
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

interface CancellableStatements {
  execute<T>(
    statement: Pick<StatementOptions, 'signal' | 'session'>,
    work: (running: RunningStatement) => Promise<T>,
  ): Promise<T>;
  cancelAll(): void;
}

/** Without the kill, the server would continue a statement after the client has disconnected. */
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

class StatementsCancelled extends Error {
  override readonly name = 'StatementsCancelled';
}

export interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly body: Buffer;
  /** Deduplication token. Data can be lost if a process reuses a token after a crash (docs/decisions/0002-event-sourcing.md). */
  readonly token: string;
}

/**
 * `insert`, `run` and `rows` throw ClickHouseError or WrongShardError. Any other error of theirs means a cancellation, a timeout or a
 * broken connection.
 */
export interface ClickHouseWriter {
  insert(insert: Insert): Promise<void>;
  run(query: string, options?: StatementOptions): Promise<void>;
  rows<Row>(query: string, options?: StatementOptions): Promise<Row[]>;
  assertSettings(): Promise<void>;
  /** Creates the database of the writer, or `name`, on every replica that responds, if it does not exist. */
  createDatabase(name?: string): Promise<void>;
  /** Throws if every server fails to respond or has the database of another shard. */
  ping(): Promise<void>;
  /** Cancels the running statements and inserts, also on the server, and refuses further ones. */
  cancelStatements(): void;
  close(): Promise<void>;
  /** Address of the server; of the one that the next statement uses if there are several. */
  readonly server: string;
  /** A writer for each replica, in the order of CLICKHOUSE_URL; empty if there is only one server. */
  readonly replicas: readonly ClickHouseWriter[];
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
  /** Commas separate the replicas of a shard, and semicolons separate shards. The path is the name of the database. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The statements yield to those of other clients. `threads`: maximum number of threads of a statement. */
  readonly lowPriority?: { readonly threads: number };
  /** Maximum time without data on a connection, in ms. Default: the default time limit of a statement plus one minute. */
  readonly socketTimeoutMs?: number;
}

export const isServerError = (error: unknown): boolean => error instanceof ClickHouseError;

const [timedOut, outOfMemory] = ['159', '241'];

export const isResourceLimitExceeded = (error: unknown): boolean =>
  error instanceof ClickHouseError && (error.code === timedOut || error.code === outOfMemory);

/** Low-priority statements may take longer, because they run more slowly and a timeout discards all of their work. */
const timeouts = {
  standard: { insertMs: 10_000, statementMs: 60_000 },
  lowPriority: { insertMs: 120_000, statementMs: 900_000 },
};
const createDatabaseTimeoutMs = 20_000;
const pingTimeoutMs = 3_000;
/** ClickHouse sends the progress of a statement as headers. After an hour, they may exceed Node's default limit of 16 KiB. */
const maxHeaderBytes = 1024 * 1024;

/** An insert that fails with this error wrote nothing, so it can be repeated. */
const isQuorumBusy = (error: unknown): boolean =>
  error instanceof ClickHouseError && error.type === 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE';

/** The retries take about 15 s in sum. After the loss of a replica, inserts pause for a shorter time. */
const quorumRetries = { retries: 20, minTimeout: 50, maxTimeout: 1_000, factor: 1.6, randomize: true };

const retryWhileQuorumIsBusy = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
  pRetry(work, { ...quorumRetries, ...(signal && { signal }), shouldRetry: ({ error }) => isQuorumBusy(error) });

/** Statements that change the schema reach all databases with the same path in Keeper. */
const databaseEngine = (name: string, { index, of }: Shard): string => {
  const path = `/clickhouse/databases/${name}${of === 1 ? '' : `/shards/${index + 1}`}`;
  // ClickHouse replaces the macros by the shard and the name of each server.
  return ` ENGINE = Replicated('${path}', '{shard}', '{replica}')`;
};

const createDatabaseSql = (name: string, { cluster, shard = onlyShard }: TableLayout): string =>
  `CREATE DATABASE IF NOT EXISTS ${name}` +
  (cluster === undefined ? '' : databaseEngine(name, shard)) +
  (shard.of === 1 ? '' : ` COMMENT ${quoteString(describeShard(shard))}`);

/** Throws WrongShardError, or an Error if the database of a cluster is not replicated: its tables would be on one replica only. */
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

/** `server`: address without a path. */
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
      // ClickHouse rejects every statement of a client whose database does not exist.
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
