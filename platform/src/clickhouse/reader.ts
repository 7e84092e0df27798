import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient, EXCEPTION_TAG_HEADER_NAME } from '@clickhouse/client';
import { setSpanAttributes, type SpanOptions, runInSpan } from '../telemetry/index.ts';
import { onlyShard } from '@popsvc/domain/partitioning';
import { openHttpQueries } from './http-queries.ts';
import { failOnMarkedError, throwMarkedError, toReadError } from './reader-errors.ts';
import { createShardGuard } from './shard-check.ts';
import type { Sql } from './sql.ts';
import type { TableLayout } from './tables.ts';

const querySettings = {
  // If the client disconnects, ClickHouse stops a query only if the query is read-only.
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
  // FINAL can deduplicate each partition separately, because all versions of a row are in one partition.
  do_not_merge_across_partitions_select_final: 1,
} as const;

/** The output must not depend on the defaults of a ClickHouse version. */
const textSettings = {
  formatdatetime_f_prints_scale_number_of_digits: 1,
  formatdatetime_parsedatetime_m_is_month_name: 0,
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
  join_use_nulls: 0,
  // With 0, ClickHouse marks errors in the same way in every format.
  http_write_exception_in_output_format: 0,
} as const;

const fileSettings = {
  ...textSettings,
  format_csv_delimiter: ',',
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: 1,
  bool_true_representation: 'true',
  bool_false_representation: 'false',
  // zstd output is half the size of snappy output and takes 10 % more CPU time. Small row groups limit memory.
  output_format_parquet_compression_method: 'zstd',
  output_format_parquet_row_group_size: '50000',
  output_format_parquet_string_as_string: 1,
} as const;

/** Without this setting, a replica that is behind could show the progress of a batch before the rows of the batch. */
const replicatedReadSettings = { select_sequential_consistency: '1' } as const;

const pageTimeoutSeconds = 30;
const downloadTimeoutSeconds = 3_600;

/** How long ClickHouse waits for a slow caller to read more of a download. */
const sendTimeoutSeconds = 300;

/** A text block of the default size would occupy 200 MB and exceed the memory limit of a query. */
const streamFormats = {
  CSVWithNames: { max_block_size: '8192' },
  JSONEachRow: { max_block_size: '8192' },
  Parquet: {},
} as const;
export type StreamFormat = keyof typeof streamFormats;

/** With small blocks, ClickHouse reads few rows beyond the selected ones. One thread costs less CPU time than several. */
const pageSettings = {
  max_execution_time: pageTimeoutSeconds,
  max_threads: 1,
  output_format_parallel_formatting: 0,
  // With 0, ClickHouse reads all columns at once. By default, it sorts first and then reads the other columns of the first rows.
  query_plan_optimize_lazy_materialization: 0,
  max_block_size: '256',
} as const;

const lineSettings = { ...textSettings, max_execution_time: pageTimeoutSeconds } as const;

const streamSettings = (format: StreamFormat) => ({
  ...fileSettings,
  http_send_timeout: sendTimeoutSeconds,
  max_execution_time: downloadTimeoutSeconds,
  ...streamFormats[format],
});

export interface QueryOptions {
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: Buffer) => void;
}

/**
 * Methods reject with an ApiError, UNAVAILABLE if a retry may succeed or REBUILDING if the data is damaged, or with an Error whose message
 * has no details.
 */
export interface ClickHouseReader {
  /** Returns the whole response in the JSONEachRow format: one row per line. */
  lines(query: Sql, options?: QueryOptions): Promise<Buffer>;
  rows<Row>(query: Sql, options?: QueryOptions): Promise<Row[]>;
  /** Returns the whole response in the RowBinary format. The settings suit queries that select a few thousand rows at most. */
  rowBinary(query: Sql, options?: QueryOptions): Promise<Buffer>;
  /** The stream fails if the query fails, even after rows were sent. */
  stream(query: Sql, format: StreamFormat, options?: QueryOptions): Promise<Readable>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

interface QueryAbort {
  readonly signal: AbortSignal;
  readonly dispose: () => void;
}

/** The timer of `AbortSignal.timeout` outlives the query, so thousands of timers could accumulate. */
const createQueryAbort = (timeoutSeconds: number, caller: AbortSignal | undefined): QueryAbort => {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, timeoutSeconds * 1000).unref();
  if (caller?.aborted) stop();
  caller?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    dispose() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
  };
};

/** Omits the query text: the attribute `clickhouse.query_id` leads to the text in ClickHouse's query log. */
const readSpan = (kind: 'page' | 'download'): SpanOptions => ({
  name: `clickhouse ${kind}`,
  kind: 'client',
  attributes: { 'db.system.name': 'clickhouse', 'db.operation.name': 'SELECT' },
});

const tracedReader = (reader: ClickHouseReader): ClickHouseReader => {
  const inPage = <T>(work: () => Promise<T>) => runInSpan(() => readSpan('page'), work);
  return {
    ...reader,
    lines: (query, options) => inPage(() => reader.lines(query, options)),
    rows: <Row>(query: Sql, options?: Parameters<ClickHouseReader['rows']>[1]) =>
      inPage(() => reader.rows<Row>(query, options)),
    rowBinary: (query, options) => inPage(() => reader.rowBinary(query, options)),
    stream: (query, format, options) =>
      runInSpan(
        () => readSpan('download'),
        () => reader.stream(query, format, options),
      ),
  };
};

export interface ClickHouseReaderOptions extends TableLayout {
  /** Commas separate the replicas of a shard, and semicolons separate shards. The path is the name of the database. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly maxConnections?: number;
  /** Client name shown in ClickHouse's query log. */
  readonly application?: string;
  readonly readsAllShards?: boolean;
}

/** Name of the database whose views show the rows of all shards. */
export const shardsDatabase = (database: string): string => `${database}_shards`;

/** With this setting, ClickHouse executes each subquery of IN or JOIN once, and not again on every shard. */
const allShardsSettings = { distributed_product_mode: 'global' } as const;

interface QueryRequest extends QueryOptions {
  readonly timeoutSeconds: number;
  readonly format: string;
  readonly settings: Readonly<Record<string, string | number>>;
}

/** `server`: address without a path. */
export const openServerReader = (
  { server, database }: { readonly server: string; readonly database: string },
  options: ClickHouseReaderOptions,
): ClickHouseReader => {
  const {
    username,
    password,
    cluster,
    shard = onlyShard,
    maxConnections = 64,
    application = 'popsvc-query-api',
    readsAllShards,
  } = options;
  const queries = openHttpQueries({
    server,
    username,
    password,
    database: readsAllShards ? shardsDatabase(database) : database,
    application,
    maxConnections,
    silenceMs: (sendTimeoutSeconds + 60) * 1000,
  });
  const commonSettings = {
    ...querySettings,
    ...(cluster !== undefined && replicatedReadSettings),
    ...(readsAllShards && allShardsSettings),
  };
  // Pings have their own connections, so that they do not wait while queries use all other connections.
  const pings = createClient({
    ...{ url: server, username, password, application },
    max_open_connections: 2,
    keep_alive: { idle_socket_ttl: 2_000 },
    log: { level: ClickHouseLogLevel.OFF },
  });
  const guard = createShardGuard(pings, { server, database, shard });

  const send = async <T>(
    query: Sql,
    { timeoutSeconds, format, settings, signal }: QueryRequest,
    read: (response: IncomingMessage, tag: string) => T | Promise<T>,
  ): Promise<T> => {
    const { query: text, params } = query.render(database);
    const abort = createQueryAbort(timeoutSeconds, signal);
    const queryId = randomUUID();
    setSpanAttributes(() => ({ 'clickhouse.query_id': queryId }));
    try {
      const response = await guard.run(abort.signal, () =>
        queries.send({
          query: `${text} FORMAT ${format}`,
          params,
          queryId,
          signal: abort.signal,
          settings: { ...commonSettings, ...settings },
        }),
      );
      response.once('close', abort.dispose);
      const tag = response.headers[EXCEPTION_TAG_HEADER_NAME];
      if (typeof tag !== 'string') {
        response.destroy();
        throw new Error('ClickHouse does not mark errors within responses; version 25.11 or newer is required');
      }
      return await read(response, tag);
    } catch (error) {
      abort.dispose();
      throw toReadError(error);
    }
  };

  const readWhole = (query: Sql, options: QueryOptions, format: Pick<QueryRequest, 'format' | 'settings'>) =>
    send(query, { ...options, ...format, timeoutSeconds: pageTimeoutSeconds + 1 }, async (response, tag) => {
      const whole = Buffer.concat((await response.toArray()) as Buffer[]);
      throwMarkedError(whole, tag);
      return whole;
    });

  const lines = (query: Sql, options: QueryOptions = {}) =>
    readWhole(query, options, { format: 'JSONEachRow', settings: lineSettings });

  return tracedReader({
    lines,
    rowBinary: (query, options = {}) => readWhole(query, options, { format: 'RowBinary', settings: pageSettings }),
    async rows<Row>(query: Sql, options?: QueryOptions) {
      const text = (await lines(query, options)).toString('utf8').trimEnd();
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Row);
    },
    stream: (query, format, options) =>
      send(
        query,
        { ...options, timeoutSeconds: downloadTimeoutSeconds, format, settings: streamSettings(format) },
        (response, tag) => pipeline(response, failOnMarkedError(tag, options?.onBytes), () => undefined),
      ),
    async ping() {
      const answer = await pings.ping({ select: true, abort_signal: AbortSignal.timeout(2_000) });
      if (!answer.success) throw toReadError(answer.error);
      await guard.check().catch((error: unknown) => {
        throw toReadError(error);
      });
    },
    async close() {
      queries.close();
      await pings.close();
    },
  });
};
