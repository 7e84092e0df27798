import type { Log } from '../telemetry/index.ts';
import pg from 'pg';
import { tracedPool } from './traced-pool.ts';

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
