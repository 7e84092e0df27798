import { randomUUID } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient, EXCEPTION_TAG_HEADER_NAME } from '@clickhouse/client';
import { setSpanAttributes, type SpanOptions, runInSpan } from '../telemetry/index.ts';
import { failingWhereMarked, readFailure } from './reader-errors.ts';
import type { Sql } from './sql.ts';

/** What reports rely on; defaults moved between versions of the server, so nothing is left to them. */
const readSettings = {
  // Reads only, and a query whose caller has gone is stopped. Both belong together: the server honours the second only with the first.
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
  // Every row of a report has the zone of its own site.
  allow_nonconst_timezone_arguments: 1,
  formatdatetime_f_prints_scale_number_of_digits: 1,
  formatdatetime_parsedatetime_m_is_month_name: 0,
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  output_format_json_escape_forward_slashes: 0,
  format_csv_delimiter: ',',
  format_csv_null_representation: '',
  output_format_csv_crlf_end_of_line: 1,
  bool_true_representation: 'true',
  bool_false_representation: 'false',
  // Rows that replace each other are always in one partition (read-models/src/tables).
  do_not_merge_across_partitions_select_final: 1,
  join_use_nulls: 0,
  // Errors within an answer are marked in one way for every format, so that they are found without parsing it.
  http_write_exception_in_output_format: 0,
  // Half the bytes of snappy for a tenth more CPU; small row groups bound the memory of both sides.
  output_format_parquet_compression_method: 'zstd',
  output_format_parquet_row_group_size: '50000',
  output_format_parquet_string_as_string: 1,
} as const;

/** Seconds a query may take; a download lasts as long as its reader reads. */
const pageSeconds = 30;
const streamSeconds = 3_600;

/** A slow reader holds up the server's sending, for so long at most. */
const sendSeconds = 300;

/**
 * Formats of streams. Text of wide rows is a multiple of what they take in columns: blocks of the standard size made lumps of
 * 200 MB, more than a query may have.
 */
const streamFormats = {
  CSVWithNames: { max_block_size: '8192' },
  JSONEachRow: { max_block_size: '8192' },
  Parquet: {},
} as const;
export type StreamFormat = keyof typeof streamFormats;

const streamSettings = (format: StreamFormat) => ({
  http_send_timeout: sendSeconds,
  max_execution_time: streamSeconds,
  ...streamFormats[format],
});

export interface QueryOptions {
  /** When it is aborted, the query is stopped. */
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: Buffer) => void;
}

/** The reading side of ClickHouse. What fails is UNAVAILABLE, or an error of ours that tells the caller nothing. */
export interface ClickHouseReader {
  /** The whole answer in JSONEachRow: a line a row. */
  lines(query: Sql, options?: QueryOptions): Promise<Buffer>;
  rows<Row>(query: Sql, options?: QueryOptions): Promise<Row[]>;
  /** The answer as the server writes it, never parsed; it fails where the server fails, also midway. */
  stream(query: Sql, format: StreamFormat, options?: QueryOptions): Promise<Readable>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** What ends a query early: its withDeadline, or the caller's leaving. */
interface Stopper {
  readonly signal: AbortSignal;
  /** What is to be done then, also when it is too late already. */
  readonly close: (end: () => void) => void;
  /** The query is over: nothing waits for it any more. */
  readonly done: () => void;
}

/** One timer and one listener a query, both gone with it: there are thousands of queries within one deadline. */
const stopper = (seconds: number, caller: AbortSignal | undefined): Stopper => {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => controller.abort();
  const timer = setTimeout(stop, seconds * 1000).unref();
  if (caller?.aborted) stop();
  caller?.addEventListener('abort', stop, { once: true });
  return {
    signal,
    close(end) {
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    },
    done() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
  };
};

/** The text of the query is left out: ClickHouse's own log has it, under its id. */
const asked = (what: 'page' | 'download'): SpanOptions => ({
  name: `clickhouse ${what}`,
  kind: 'client',
  attributes: { 'db.system.name': 'clickhouse', 'db.operation.name': 'SELECT' },
});

/** A reader whose queries are seen in traces: until the answer is whole, or, of a download, begins. */
const tracedReader = (reader: ClickHouseReader): ClickHouseReader => ({
  ...reader,
  lines: (query, options) =>
    runInSpan(
      () => asked('page'),
      () => reader.lines(query, options),
    ),
  rows: <Row>(query: Sql, options?: Parameters<ClickHouseReader['rows']>[1]) =>
    runInSpan(
      () => asked('page'),
      () => reader.rows<Row>(query, options),
    ),
  stream: (query, format, options) =>
    runInSpan(
      () => asked('download'),
      () => reader.stream(query, format, options),
    ),
});

export interface ClickHouseReaderOptions {
  /** The path is the database. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly maxConnections?: number;
  /** Told to the server, for its log of queries. */
  readonly application?: string;
}

interface Request extends QueryOptions {
  readonly seconds: number;
  readonly format: string;
  readonly settings: Readonly<Record<string, string | number>>;
}

export const openClickHouseReader = (options: ClickHouseReaderOptions): ClickHouseReader => {
  const { url, username, password, maxConnections = 64, application = 'popsvc-query-api' } = options;
  const client = createClient({
    url: new URL('/', url).toString(),
    username,
    password,
    database: new URL(url).pathname.slice(1) || 'popsvc',
    application,
    // The time without a byte on a connection; each query has a deadline of its own.
    request_timeout: (sendSeconds + 60) * 1000,
    max_open_connections: maxConnections,
    keep_alive: { idle_socket_ttl: 2_000 },
    clickhouse_settings: readSettings,
    log: { level: ClickHouseLogLevel.OFF },
  });

  const send = async (query: Sql, { seconds, format, settings, signal, onBytes }: Request): Promise<Readable> => {
    const { query: text, params } = query.written();
    const stop = stopper(seconds, signal);
    const queryId = randomUUID();
    setSpanAttributes(() => ({ 'clickhouse.query_id': queryId }));
    try {
      const { stream, response_headers } = await client.exec({
        query: `${text} FORMAT ${format}`,
        query_params: { ...params },
        query_id: queryId,
        abort_signal: stop.signal,
        clickhouse_settings: settings,
      });
      stream.once('close', stop.done);
      // The client heeds the signal until the answer begins; from then on the connection is closed here.
      stop.close(() => stream.destroy(new Error('the reading was stopped')));
      const tag = response_headers[EXCEPTION_TAG_HEADER_NAME];
      if (typeof tag !== 'string') {
        stream.destroy();
        throw new Error('ClickHouse does not mark errors within answers; version 25.11 or newer is needed');
      }
      return pipeline(stream, failingWhereMarked(tag, onBytes), () => undefined);
    } catch (error) {
      stop.done();
      throw readFailure(error);
    }
  };

  const lines = async (query: Sql, options: QueryOptions = {}): Promise<Buffer> => {
    const source = await send(query, {
      ...options,
      seconds: pageSeconds + 1,
      format: 'JSONEachRow',
      settings: { max_execution_time: pageSeconds },
    });
    try {
      return Buffer.concat((await source.toArray()) as Buffer[]);
    } catch (error) {
      throw readFailure(error);
    }
  };

  return tracedReader({
    lines,
    async rows<Row>(query: Sql, options?: QueryOptions) {
      const text = (await lines(query, options)).toString('utf8').trimEnd();
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Row);
    },
    stream: (query, format, options) =>
      send(query, { ...options, seconds: streamSeconds, format, settings: streamSettings(format) }),
    async ping() {
      const answer = await client.ping({ select: true, abort_signal: AbortSignal.timeout(2_000) });
      if (!answer.success) throw readFailure(answer.error);
    },
    close: () => client.close(),
  });
};
