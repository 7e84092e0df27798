import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { endingWith, type StatementOptions, statements } from './statements.ts';
import { tracedWriter } from './traced-writer.ts';
import { assertWriteSettings, gentleSettings, writeSettings } from './write-settings.ts';
import type { ClickHouseWriter } from './writer-port.ts';

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
