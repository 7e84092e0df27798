import { migrations } from './migrations/all.ts';
import type { Migration } from './migrations/migration.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/** Any number, as long as nobody else in this database takes it: "popsvc" in ASCII. */
const lock = '123623930295907';

/** Which steps of this build the database lacks, and which it has that this build does not know: a newer one took them. */
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

/** Brings the tables to what this build needs. Several processes may do it at once: the first does the work, the others wait. */
export const migrate = (postgres: Postgres, all: readonly Migration[] = migrations): Promise<readonly string[]> =>
  inTransaction(postgres, async (client) => {
    await client.query("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '60s'");
    await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations');
    const done = new Set(rows.map(({ name }) => name));
    const due = all.filter(({ name }) => !done.has(name));
    for (const { name, sql } of due) {
      await client.query(sql);
      await client.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
    }
    return due.map(({ name }) => name);
  });
