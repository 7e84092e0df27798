import { cp, rm } from 'node:fs/promises';
import { progressTable } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { createLog } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { openGenerations, readReadableState } from '@popsvc/read-models/generations';
import { temporaryFolder } from '@popsvc/tools/rig';
import type { TestSystem } from '../support/test-system.ts';
import { rebuildGeneration, readTables } from './rebuild.fixture.ts';

/** The short form restores coffee only, which has facts and derived rows. */
const projections = allProjections.filter(({ name }) => process.env['POPSVC_LONG'] === '1' || name === 'coffee');

/** The projections of the system: the registry too, because the views of the others use its dictionaries. */
export const shownProjections: readonly string[] = ['registry', ...projections.map(({ name }) => name)];

const tables = [
  ...projections.flatMap(({ name, tables: ofProjection }) => [
    progressTable(name),
    ...ofProjection.map((table) => generationTable(table, 1)),
  ]),
];

/** A copy of a store that can replace its current content. */
export interface Copy {
  restore(): Promise<void>;
}

/** Copies every table of PostgreSQL, as pg_dump does. */
export const copyPostgres = async ({ postgres }: TestSystem): Promise<Copy> => {
  const { rows } = await postgres.query<{ name: string }>(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  await postgres.query('DROP SCHEMA IF EXISTS copied CASCADE');
  await postgres.query('CREATE SCHEMA copied');
  for (const { name } of rows) await postgres.query(`CREATE TABLE copied.${name} AS TABLE public.${name}`);
  return {
    async restore() {
      for (const { name } of rows) {
        await postgres.query(`DELETE FROM public.${name}`);
        await postgres.query(`INSERT INTO public.${name} OVERRIDING SYSTEM VALUE SELECT * FROM copied.${name}`);
      }
    },
  };
};

const ofEach = async (work: (table: string) => Promise<void>): Promise<void> => {
  await Promise.all(tables.map(work));
};

/** Copies every table of ClickHouse. */
export const copyClickHouse = async ({ writer }: TestSystem): Promise<Copy> => {
  await ofEach(async (name) => {
    await writer.run(`CREATE TABLE copied_${name} AS ${name}`);
    await writer.run(`INSERT INTO copied_${name} SELECT * FROM ${name}`);
  });
  return {
    restore: () =>
      ofEach(async (name) => {
        await writer.run(`TRUNCATE TABLE ${name}`);
        await writer.run(`INSERT INTO ${name} SELECT * FROM copied_${name}`);
        await writer.run(`DROP TABLE copied_${name}`);
      }),
  };
};

/** Copies the files of the log while its node is stopped. */
export const copyLog = async ({ node }: TestSystem): Promise<Copy> => {
  const dir = await temporaryFolder('log-copy');
  await node.stop();
  await cp(node.dir, dir, { recursive: true });
  await node.restart();
  return {
    async restore() {
      await node.stop();
      await rm(node.dir, { recursive: true });
      await cp(dir, node.dir, { recursive: true });
      await node.restart();
    },
  };
};

/** Verifies and creates the tables, as a start of the projectors does. */
export const begin = async ({ writer, postgres }: TestSystem): Promise<void> => {
  await openGenerations({ postgres, writer, log: createLog('test', 'silent') }, projections);
};

/** Drops every table, as if ClickHouse had lost its database. */
export const dropReadModels = ({ writer }: TestSystem): Promise<void> =>
  ofEach((name) => writer.run(`DROP TABLE ${name} SYNC`));

/**
 * Names of the tables with the rows of the projections, without those of former rows: if one is missing, the service creates it again, and
 * reports stay readable.
 */
export const tableNames: readonly string[] = projections.flatMap(({ tables, derived }) =>
  tables.filter((table) => table !== derived?.history).map(({ name }) => name),
);

/** The tables that readers must not use until a replay has built them again. */
export const readDamagedTables = async ({ reader }: TestSystem): Promise<readonly string[]> => {
  const { unreadable } = await readReadableState(reader);
  return tableNames.filter((name) => unreadable.get(name) === 'damage');
};

let fresh = 100;

/** Projects the log. */
export const projectAll = async (system: TestSystem): Promise<void> => {
  for (const { name } of projections) await system.projectOne(name, { limits: { rows: 40, bytes: 1e6, ageMs: 50 } });
};

const rowsOf = async (system: TestSystem, generation: number): Promise<Record<string, unknown>> => {
  const rows: Record<string, unknown> = {};
  for (const { name } of projections) rows[name] = await readTables(system, generation, name);
  return rows;
};

/** Reads the rows of the live generation. */
export const readLiveRows = (system: TestSystem): Promise<Record<string, unknown>> => rowsOf(system, 1);

/** Reads the rows of a new generation that is folded from the whole log. */
export const rebuildRows = async (system: TestSystem): Promise<Record<string, unknown>> => {
  const generation = (fresh += 1);
  for (const { name } of projections)
    await rebuildGeneration(system, generation, { rows: 10_000, bytes: 8_000_000, ageMs: 1_000 }, name);
  return rowsOf(system, generation);
};
