import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { z } from 'zod';
import { OperatorError } from '../runtime/operator-error.ts';
import { findMigrations, migrate } from './migrate.ts';

export const DatabaseLayout = z.object({
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  sequences: z.array(z.object({ name: z.string(), value: z.string() })),
});
export type DatabaseLayout = z.output<typeof DatabaseLayout>;
export type CopiedTable = DatabaseLayout['tables'][number];

export interface CopiedCheckpoint {
  readonly projection: string;
  readonly generation: number;
  readonly partition: number;
  readonly position: string;
  readonly begun: string;
}

export interface DatabaseCopy {
  readonly layout: DatabaseLayout;
  readonly checkpoints: readonly CopiedCheckpoint[];
  /** Reads the rows in PostgreSQL's text format for COPY. Read one table at a time. */
  readRows(table: CopiedTable): Readable;
  close(): Promise<void>;
}

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'popsvc backup',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // Without a listener for 'error', a connection error between two statements would end this process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

const quoteColumns = (columns: readonly string[]): string => columns.map(pg.escapeIdentifier).join(', ');

const readLayout = async (client: pg.Client): Promise<DatabaseLayout> => {
  const migrations = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
  const tables = await client.query<CopiedTable>(
    `SELECT table_name AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
     GROUP BY table_name ORDER BY table_name`,
  );
  const sequences = await client.query<{ name: string; value: string }>(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
     WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY sequencename`,
  );
  return { migrations: migrations.rows.map(({ name }) => name), tables: tables.rows, sequences: sequences.rows };
};

/**
 * No projection begins or completes a batch while `meanwhile` copies the read models. Throws an OperatorError if another backup is
 * running.
 *
 * The read models contain all batches up to `position` of the checkpoints, and perhaps a part of the batch up to `begun`.
 */
export const openDatabaseCopy = async (url: string, meanwhile?: () => Promise<void>): Promise<DatabaseCopy> => {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended('popsvc backup', 0)) AS locked",
    );
    if (!rows[0]?.locked)
      throw new OperatorError('another backup of this service is running: wait until it has ended, or stop it');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The transaction sees the database as it is at its first query, so this query determines the moment of the copy.
    const takeMoment = () => client.query('SELECT 1 FROM schema_migrations');
    if (meanwhile)
      await withoutBatches(url, async () => {
        await takeMoment();
        await meanwhile();
      });
    const layout = await readLayout(client);
    const checkpoints = await client.query<CopiedCheckpoint>(
      'SELECT projection, generation, partition, position::text, begun::text FROM checkpoints ORDER BY 1, 2, 3',
    );
    return {
      layout,
      checkpoints: checkpoints.rows,
      readRows: ({ name, columns }) =>
        client.query(copyStreams.to(`COPY ${pg.escapeIdentifier(name)} (${quoteColumns(columns)}) TO STDOUT`)),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
};

const withoutBatches = async (url: string, work: () => Promise<void>): Promise<void> => {
  const client = await connect(url);
  try {
    await client.query("BEGIN; SET LOCAL lock_timeout = '30s'; LOCK TABLE checkpoints IN SHARE MODE");
    await work();
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
};

const orderByReferences = (
  tables: readonly CopiedTable[],
  references: readonly { readonly from: string; readonly to: string }[],
): readonly CopiedTable[] => {
  const ordered: CopiedTable[] = [];
  const isLoaded = (name: string) => ordered.some((table) => table.name === name);
  for (let waiting = [...tables]; waiting.length > 0;) {
    const next = waiting.filter(({ name }) =>
      references.every(({ from, to }) => from !== name || to === name || isLoaded(to)),
    );
    if (next.length === 0) throw new Error('the tables refer to each other in a circle');
    ordered.push(...next);
    waiting = waiting.filter((table) => !next.includes(table));
  }
  return ordered;
};

const referencesSql = `SELECT c.relname AS "from", r.relname AS "to" FROM pg_constraint k
  JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid WHERE k.contype = 'f'`;

export const findUnknownMigrations = ({ migrations }: DatabaseLayout): readonly string[] =>
  findMigrations(migrations).unknown;

/** Runs the migrations of the copy. The next start of the service runs newer ones. */
export const fillDatabase = async (
  url: string,
  layout: DatabaseLayout,
  openRows: (table: CopiedTable) => Readable,
): Promise<void> => {
  const pool = new pg.Pool({ connectionString: url, application_name: 'popsvc restore', max: 1 });
  // Without listeners, an error event of an idle connection would end this process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await migrate(pool, findMigrations(layout.migrations).found);
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const { rows: references } = await client.query<{ from: string; to: string }>(referencesSql);
      // TRUNCATE, because migrations insert rows that the copy also contains. CASCADE, because a migration may create a table that
      // refers to a table of the copy (0015).
      await client.query(`TRUNCATE ${layout.tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')} CASCADE`);
      for (const table of orderByReferences(layout.tables, references)) {
        const copy = `COPY ${pg.escapeIdentifier(table.name)} (${quoteColumns(table.columns)}) FROM STDIN`;
        await pipeline(openRows(table), client.query(copyStreams.from(copy)));
      }
      for (const { name, value } of layout.sequences)
        await client.query('SELECT setval($1::regclass, $2)', [pg.escapeIdentifier(name), value]);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
};
