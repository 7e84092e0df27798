import pg from 'pg';
import { isTracingEnabled, type Log, runInSpan, type SpanOptions } from '../telemetry/index.ts';

type QueryArguments = readonly unknown[];

/** The span contains the text of the statement, but not its values. */
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

/** A statement with a callback gets no span. The pool passes callbacks to a connection after it has created the span. */
const traceQuery = (query: (...given: QueryArguments) => unknown, given: QueryArguments): never =>
  (typeof given.at(-1) === 'function'
    ? query(...given)
    : runInSpan(
        () => statementSpan(given),
        () => query(...given) as Promise<unknown>,
      )) as never;

/** `never` as the result type of `query` fits all overloads of `query` in pg. */
class TracedClient extends pg.Client {
  override query(...given: QueryArguments): never {
    return traceQuery((...all) => super.query(...(all as [string])), given);
  }
}

class TracedPool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    super({ ...config, Client: TracedClient });
  }

  override query(...given: QueryArguments): never {
    return traceQuery((...all) => super.query(...(all as [string])), given);
  }
}

export type Postgres = pg.Pool;
export type Queryable = Pick<pg.Pool, 'query'>;

export interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  /** PostgreSQL shows the name as part of the application name. */
  readonly name: string;
  readonly connections?: number;
}

/** A role can read these columns for its own sessions. A commit usually takes less than 3 s while a standby is connected. */
const waitingCommitsSql = `
  SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE wait_event = 'SyncRep' AND query_start < now() - interval '3 seconds' AND usename = current_user
    AND application_name = current_setting('application_name') AND client_addr IS NOT DISTINCT FROM inet_client_addr()`;

class CommitsWaitForStandby extends Error {
  override readonly name = 'CommitsWaitForStandby';

  constructor(waiting: number) {
    super(`${waiting} commits wait for a synchronous standby of PostgreSQL`);
  }
}

/** How long in ms a refused connection keeps its place in the pool, so that the pool does not connect again at once. */
const refusalMs = 1_000;

/**
 * Refuses new connections while `connections` commits wait for a standby. PostgreSQL keeps the connection of a waiting commit, even if the
 * client closes it, so new connections would use up `max_connections`.
 */
const refuseWhileCommitsWait =
  (connections: number): NonNullable<pg.PoolConfig['verify']> =>
  (client, done) => {
    client.query<{ waiting: number }>(waitingCommitsSql, (err: Error | undefined, result) => {
      const waiting = err ? 0 : result.rows[0]!.waiting;
      if (waiting < connections) done(err);
      else setTimeout(() => done(new CommitsWaitForStandby(waiting)), refusalMs);
    });
  };

/**
 * Every wait has a timeout, so a call fails within seconds if the server does not answer. While no synchronous standby is
 * connected, the server has at most three times `connections` connections of this pool.
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
  // The pool emits the error of an idle connection, and a connection emits an error between two statements. Without these
  // listeners, either error would end the process.
  pool.on('connect', (client) => client.on('error', (err) => log.warn({ err }, 'connection to PostgreSQL lost')));
  pool.on('error', () => undefined);
  return pool;
};

/** If the rollback fails, the connection is closed. */
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
 * PostgreSQL error codes for failures that a retry may resolve: connection errors (08), read-only server (25006), invalid login or unusable
 * database (28, 3D, 55000), serialization failures and deadlocks (40), insufficient resources (53), lock timeout (55P03), shutdown, startup
 * or cancellation (57).
 */
const unavailableCodes = /^(?:08|25006|28|3D|40|53|55000|55P03|57)/;
/** Messages of errors without a code that pg itself throws. */
const noAnswerMessages = /timeout|terminated|connection error|connection ended|cannot use a pool/i;

export const isPostgresUnavailable = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return unavailableCodes.test(error.code ?? '');
  if (error instanceof CommitsWaitForStandby) return true;
  if (error instanceof AggregateError) return error.errors.some(isPostgresUnavailable);
  if (!(error instanceof Error)) return false;
  return ('syscall' in error && error.syscall !== undefined) || noAnswerMessages.test(error.message);
};

/** PostgreSQL cannot store NUL characters in text. */
export const replaceNulCharacters = (value: string): string => value.replaceAll('\0', '\u{fffd}');
