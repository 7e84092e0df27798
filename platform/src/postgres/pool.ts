import pg from 'pg';
import { isTracingEnabled, type Log, runInSpan, type SpanOptions } from '../telemetry/index.ts';

type QueryArguments = readonly unknown[];

/** Builds the options of the span of a statement. The span contains the text of the statement, but not its values. */
const statementSpan = ([statement]: QueryArguments): SpanOptions => {
  const given = typeof statement === 'string' ? statement : (statement as { text: string }).text;
  const text = given.trim().replace(/\s+/g, ' ');
  const operation = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'statement';
  return {
    name: `postgresql ${operation}`,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text },
  };
};

/**
 * Runs a statement in a span. A statement with a callback gets no span: only the pool passes callbacks to a connection, after it
 * has created a span for the statement.
 */
const traceQuery = (query: (...given: QueryArguments) => unknown, given: QueryArguments): never =>
  (typeof given.at(-1) === 'function'
    ? query(...given)
    : runInSpan(
        () => statementSpan(given),
        () => query(...given) as Promise<unknown>,
      )) as never;

/**
 * A connection that creates a span for every statement. The result type of `query` is `never`, because that fits all overloads of
 * `query` in pg.
 */
class TracedClient extends pg.Client {
  override query(...given: QueryArguments): never {
    return traceQuery((...all) => super.query(...(all as [string])), given);
  }
}

/** A pool that creates a span for every statement, including statements within transactions. */
class TracedPool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    super({ ...config, Client: TracedClient });
  }

  override query(...given: QueryArguments): never {
    return traceQuery((...all) => super.query(...(all as [string])), given);
  }
}

export type Postgres = pg.Pool;
/** Runs statements, inside or outside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

export interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  /** Name of the process. PostgreSQL shows it as part of the application name. */
  readonly name: string;
  readonly connections?: number;
}

/**
 * Counts the commits of this process that have waited for a synchronous standby for more than 3 s, which is longer than a commit
 * usually takes while a standby is connected. Processes with the same name and address are counted, too. PostgreSQL shows these
 * columns to a role for its own sessions.
 */
const waitingCommitsSql = `
  SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND query_start < now() - interval '3 seconds' AND usename = current_user
    AND application_name = current_setting('application_name') AND client_addr IS NOT DISTINCT FROM inet_client_addr()`;

/** No new connection is opened, because too many commits wait for a synchronous standby (see `waitingCommitsSql`). */
class CommitsWaitForStandby extends Error {
  override readonly name = 'CommitsWaitForStandby';

  constructor(waiting: number) {
    super(`${waiting} commits wait for a synchronous standby of PostgreSQL`);
  }
}

/** How long in ms a refused connection keeps its place in the pool, so that the pool does not connect again at once. */
const refusalMs = 1_000;

/**
 * Refuses new connections while at least as many commits wait for a standby as the pool has connections. PostgreSQL keeps the
 * connection of such a commit after the client has closed it. No timeout of the server ends the wait, and a cancelled wait would
 * confirm a commit that no standby has. Without this limit, new connections would use up `max_connections`.
 */
const refuseWhileCommitsWait =
  (connections: number): NonNullable<pg.PoolConfig['verify']> =>
  (client, done) => {
    // A query with a callback has no span (see `traceQuery`).
    client.query<{ waiting: number }>(waitingCommitsSql, (err: Error | undefined, result) => {
      const waiting = err ? 0 : result.rows[0]!.waiting;
      if (waiting < connections) done(err);
      else setTimeout(() => done(new CommitsWaitForStandby(waiting)), refusalMs);
    });
  };

/**
 * Opens a pool in which every wait has a timeout, so a call fails within seconds if the server does not answer. The pool throws the
 * errors of pg, which `isPostgresUnavailable` classifies. If tracing was enabled before this call, the pool creates a span for
 * every statement.
 *
 * While no synchronous standby is connected, the server has at most three times `connections` connections of this pool (see
 * `refuseWhileCommitsWait`).
 */
export const openPostgres = ({ url, log, name, connections = 5 }: PostgresOptions): Postgres => {
  const pool = new (isTracingEnabled() ? TracedPool : pg.Pool)({
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
    verify: refuseWhileCommitsWait(connections),
  });
  // When a connection is lost, the pool opens a new one on demand. Without these listeners, the error of the lost connection would
  // end the process. The pool emits the error of an idle connection. The connection itself emits an error that occurs between two
  // statements of a transaction.
  pool.on('connect', (client) => client.on('error', (err) => log.warn({ err }, 'connection to PostgreSQL lost')));
  pool.on('error', () => undefined);
  return pool;
};

/** Runs `work` in a transaction. If the rollback fails, the connection is closed. */
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
 * PostgreSQL error codes for failures that a retry may resolve: connection errors (08), read-only server (25006), invalid login
 * or missing database (28, 3D, 55000), serialization failures and deadlocks (40), insufficient resources (53), lock timeout
 * (55P03), shutdown, startup or cancellation (57).
 */
const unavailableCodes = /^(?:08|25006|28|3D|40|53|55000|55P03|57)/;
/** Matches the messages of errors without a code that pg itself throws: the server does not answer, or this process has closed the pool. */
const noAnswerMessages = /timeout|terminated|connection error|connection ended|cannot use a pool/i;

/** Returns whether an error means that PostgreSQL is unavailable, so that a retry may succeed. */
export const isPostgresUnavailable = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return unavailableCodes.test(error.code ?? '');
  if (error instanceof CommitsWaitForStandby) return true;
  if (error instanceof AggregateError) return error.errors.some(isPostgresUnavailable);
  if (!(error instanceof Error)) return false;
  return ('syscall' in error && error.syscall !== undefined) || noAnswerMessages.test(error.message);
};

/** Replaces NUL characters, which PostgreSQL cannot store in text. */
export const replaceNulCharacters = (value: string): string => value.replaceAll('\0', '\u{fffd}');
