import { randomUUID } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient, EXCEPTION_TAG_HEADER_NAME } from '@clickhouse/client';
import { setSpanAttributes } from '../telemetry/index.ts';
import { readFailure } from './reader-errors.ts';
import { failingWhereMarked } from './reader-guard.ts';
import type { ClickHouseReader, QueryOptions } from './reader-port.ts';
import { pageSeconds, readSettings, sendSeconds, streamSeconds, streamSettings } from './reader-settings.ts';
import { stopper } from './reader-stopper.ts';
import type { Sql } from './sql.ts';
import { tracedReader } from './traced-reader.ts';

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
