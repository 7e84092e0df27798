import pg from 'pg';
import { DeadlineExceeded } from '../runtime/index.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/** `failures`: damaged pages that PostgreSQL has found since its statistics were reset. */
export interface ChecksumState {
  readonly isOn: boolean;
  readonly failures: number;
}

export const readChecksumState = async (postgres: Queryable): Promise<ChecksumState> => {
  const { rows } = await postgres.query<{ is_on: boolean; failures: string }>(
    // The row with id 0 is for the tables that all databases share.
    `SELECT current_setting('data_checksums') = 'on' AS is_on, coalesce(sum(checksum_failures), 0) AS failures
     FROM pg_stat_database WHERE datname = current_database() OR datid = 0`,
  );
  return { isOn: rows[0]?.is_on ?? false, failures: Number(rows[0]?.failures ?? 0) };
};

/** `reason`: the error of PostgreSQL, which usually names the file and the page. */
export interface DamagedTable {
  readonly table: string;
  readonly reason: string;
}

const maxTableBytes = 16 * 2 ** 20;

/** SQLSTATE class XX: data_corrupted, index_corrupted and internal errors. */
const isDamage = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && (error.code ?? '').startsWith('XX');

/** PostgreSQL cancels a statement at `endsAt`, a time of `performance.now()`. */
const runUntil = <T>(postgres: Postgres, endsAt: number, work: (client: Queryable) => Promise<T>): Promise<T> =>
  inTransaction(postgres, async (client) => {
    const leftMs = Math.ceil(endsAt - performance.now());
    if (leftMs <= 0) throw new DeadlineExceeded('reading the tables of PostgreSQL took too long');
    await client.query(`SET LOCAL statement_timeout = ${leftMs}`);
    return work(client);
  });

/** Skips tables of more than 16 MiB. Throws if reading takes longer than `timeoutMs`. */
export const findDamagedTables = async (postgres: Postgres, timeoutMs: number): Promise<readonly DamagedTable[]> => {
  const endsAt = performance.now() + timeoutMs;
  const { rows } = await runUntil(postgres, endsAt, (client) =>
    client.query<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class
       WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND pg_table_size(oid) <= $1
       ORDER BY name`,
      [maxTableBytes],
    ),
  );
  const damaged: DamagedTable[] = [];
  for (const { name: table } of rows) {
    const reason = await readWholeTable(postgres, table, endsAt);
    if (reason !== undefined) damaged.push({ table, reason });
  }
  return damaged;
};

const readWholeTable = async (postgres: Postgres, table: string, endsAt: number): Promise<string | undefined> => {
  try {
    await runUntil(postgres, endsAt, async (client) => {
      // Without index scans, PostgreSQL reads the pages of the table itself.
      await client.query('SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off');
      await client.query(`SELECT sum(length(each::text)) FROM ${table} AS each`);
    });
    return undefined;
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw error;
  }
};
