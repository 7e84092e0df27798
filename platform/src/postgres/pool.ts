import pg from 'pg';
import type { Log } from '../telemetry/index.ts';
import { isTracingEnabled, type SpanOptions, runInSpan } from '../telemetry/index.ts';

type Ask = (...given: readonly unknown[]) => unknown;

const textOf = (given: unknown): string => (typeof given === 'string' ? given : (given as { text: string }).text);

/** Its values stand beside it, and are not told. */
const asked = (given: unknown): SpanOptions => {
  const text = textOf(given).trim().replace(/\s+/g, ' ');
  const operation = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'statement';
  return {
    name: `postgresql ${operation}`,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text },
  };
};

/** The pool asks its connections by call-back, what it was asked itself is seen already. */
const isSeen = (given: readonly unknown[]): boolean => typeof given.at(-1) === 'function';

const seen = (owner: { query: unknown }): void => {
  const query = (owner.query as Ask).bind(owner);
  owner.query = (...given: readonly unknown[]) =>
    isSeen(given)
      ? query(...given)
      : runInSpan(
          () => asked(given[0]),
          () => query(...given) as Promise<unknown>,
        );
};

/** Has the statements of a pool and of its transactions seen in traces, where there are any. */
const tracedPool = (pool: pg.Pool): pg.Pool => {
  if (!isTracingEnabled()) return pool;
  seen(pool);
  return pool.on('connect', seen);
};

export type Postgres = pg.Pool;
/** Inside a transaction or outside: whoever runs one statement. */
export type Queryable = Pick<pg.Pool, 'query'>;

export interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  /** Shown by PostgreSQL as the owner of the connections. */
  readonly name: string;
  readonly connections?: number;
}

/**
 * A small pool: what stands in PostgreSQL is small and rarely asked for. Every wait has an end, so that a silent server is an
 * error within seconds. The errors are pg's own; `isUnavailable` tells which of them mean that the server is away.
 */
export const openPostgres = ({ url, log, name, connections = 5 }: PostgresOptions): Postgres => {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: `popsvc ${name}`,
    max: connections,
    connectionTimeoutMillis: 2_000,
    query_timeout: 4_000,
    statement_timeout: 4_000,
    lock_timeout: 3_000,
    idle_in_transaction_session_timeout: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  // A connection that dies is replaced when next needed; without a listener it would end the process: with one of the pool's
  // while it is idle, with one of its own between two statements of a transaction.
  pool.on('connect', (client) => client.on('error', (err) => log.warn({ err }, 'a connection to PostgreSQL was lost')));
  pool.on('error', () => undefined);
  return tracedPool(pool);
};

/** Runs the work on one connection, all of it or nothing. A connection that failed is not used again. */
export const inTransaction = async <T>(postgres: Postgres, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await postgres.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error(String(failure));
    });
    throw error;
  } finally {
    client.release(broken);
  }
};

const { DatabaseError } = pg;

/**
 * PostgreSQL's own codes: connection trouble (08), a server that only reads (25006), logins and databases that are not to be had
 * (28, 3D, 55000), deadlocks (40), no more room (53), a lock that was not to be had (55P03), shut down, starting or cut off (57).
 */
const unavailable = /^(?:08|25006|28|3D|40|53|55000|55P03|57)/;
/** What pg itself says when there is no answer; it has no codes for these. */
const noAnswer = /timeout|terminated|connection error|connection ended|cannot use a pool/i;

/** Whether an error means that PostgreSQL cannot be asked now, rather than that the question was wrong. */
export const isPostgresUnavailable = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return unavailable.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isPostgresUnavailable);
  if (!(error instanceof Error)) return false;
  return ('syscall' in error && error.syscall !== undefined) || noAnswer.test(error.message);
};

/** As PostgreSQL takes it: it keeps no NUL in a text. */
export const replaceNulCharacters = (value: string): string => value.replaceAll('\0', '\u{fffd}');
