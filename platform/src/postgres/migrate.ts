import { OperatorError } from '../runtime/operator-error.ts';
import { baseline } from './migrations/0001-baseline.ts';
import { derivedRows } from './migrations/0002-derived-rows.ts';
import { tableParts } from './migrations/0003-table-parts.ts';
import { logRepairs } from './migrations/0004-log-repairs.ts';
import { damagedRanges } from './migrations/0005-damaged-ranges.ts';
import { parkedItems } from './migrations/0006-parked-items.ts';
import { replaySource } from './migrations/0007-replay-source.ts';
import { partitions } from './migrations/0008-partitions.ts';
import { logRepairsOfShards } from './migrations/0009-log-repairs-of-shards.ts';
import { derivedRowsOfSets } from './migrations/0010-derived-rows-of-sets.ts';
import { membersOfSets } from './migrations/0011-members-of-sets.ts';
import { operatorAccounts } from './migrations/0012-operator-accounts.ts';
import { webhooks } from './migrations/0013-webhooks.ts';
import { timeZonesOfGenerations } from './migrations/0014-time-zones.ts';
import { sealedSecrets } from './migrations/0015-sealed-secrets.ts';
import { unusedColumns } from './migrations/0016-unused-columns.ts';
import { openJobs } from './migrations/0017-open-jobs.ts';
import { refusedHours } from './migrations/0018-refused-hours.ts';
import { logChanges } from './migrations/0019-log-changes.ts';
import { lockKeys } from './locks.ts';
import { inTransaction, isPostgresUnavailable, type Postgres, type Queryable } from './pool.ts';

/** Runs once, inside a transaction. A released migration is never edited; a later change needs a new migration. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const migrations: readonly Migration[] = [
  baseline,
  derivedRows,
  tableParts,
  logRepairs,
  damagedRanges,
  parkedItems,
  replaySource,
  partitions,
  logRepairsOfShards,
  derivedRowsOfSets,
  membersOfSets,
  operatorAccounts,
  webhooks,
  timeZonesOfGenerations,
  sealedSecrets,
  unusedColumns,
  openJobs,
  refusedHours,
  logChanges,
];

/** A database in which this migration has run cannot be upgraded to the baseline. */
const unreleasedFormat = '0001-api-keys';

export class UnsupportedDatabase extends OperatorError {
  override readonly name = 'UnsupportedDatabase';
}

/** `due`: migrations of this version that have not run. `unknown`: migrations that a newer version ran. */
export const compareMigrations = async (
  postgres: Queryable,
): Promise<{ readonly due: readonly string[]; readonly unknown: readonly string[] }> => {
  const { rows } = await postgres.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
  const done = rows.map(({ name }) => name);
  const known = migrations.map(({ name }) => name);
  return {
    due: known.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !known.includes(name)),
  };
};

export const findMigrations = (
  names: readonly string[],
): { readonly found: readonly Migration[]; readonly unknown: readonly string[] } => ({
  found: migrations.filter(({ name }) => names.includes(name)),
  unknown: names.filter((name) => migrations.every((known) => known.name !== name)),
});

/** The error of a host with several addresses has no message of its own. */
const problemOf = (error: unknown): string => {
  if (error instanceof AggregateError) return problemOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
};

/**
 * Throws an OperatorError if PostgreSQL does not answer or an unreleased version of popsvc created the tables. Returns the names of the
 * migrations that ran.
 */
export const migrate = (postgres: Postgres, all: readonly Migration[] = migrations): Promise<readonly string[]> =>
  runMigrations(postgres, all).catch((cause: unknown) => {
    if (!isPostgresUnavailable(cause)) throw cause;
    throw new OperatorError(
      `PostgreSQL (DATABASE_URL) does not answer: ${problemOf(cause)}. Start it, or correct DATABASE_URL. Then start again.`,
      { cause },
    );
  });

const runMigrations = (postgres: Postgres, all: readonly Migration[]): Promise<readonly string[]> =>
  inTransaction(postgres, async (client) => {
    // The time limit of the pool is for the short statements of requests. The types of pg lack this option.
    const limit: object = { query_timeout: 65_000 };
    const run = (text: string) => client.query({ text, ...limit });
    await run("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '60s'");
    await run(`SELECT pg_advisory_xact_lock(${lockKeys.migrations})`);
    await run(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations');
    const done = new Set(rows.map(({ name }) => name));
    if (done.has(unreleasedFormat))
      throw new UnsupportedDatabase(
        'The PostgreSQL database was created by an unreleased version of popsvc and cannot be upgraded. ' +
          'With the embedded engines, stop the service and remove its data folder (DATA_DIR). ' +
          'With your own PostgreSQL, create a new, empty database and set DATABASE_URL to it. Then start again.',
      );
    const due = all.filter(({ name }) => !done.has(name));
    for (const { name, sql } of due) {
      await run(sql);
      await client.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
    }
    return due.map(({ name }) => name);
  });
