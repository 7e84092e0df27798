import { setTimeout as sleep } from 'node:timers/promises';
import {
  addColumns,
  createLiveView,
  createTable,
  createView,
  generationTable,
  type TableDefinition,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import { createDictionary, dictionaries } from '../registry/dictionaries.ts';
import { progress } from '../declarations/progress.table.ts';
import { resetProgressOfLostTables } from './incomplete-tables.ts';
import type { Generation } from './generations.ts';
import { pointAnalystRowsAt } from './analyst-views.ts';
import { pointIncompleteView, pointProgressView } from './progress.ts';

const columnsSql = `SELECT table, name FROM system.columns
  WHERE database = currentDatabase() AND table IN {tables:Array(String)}`;

/** Reads which declared columns the tables lack, because an earlier build created the tables. */
const missingColumns = async (writer: ClickHouseWriter, tables: readonly TableDefinition[], generation: number) => {
  const params = { tables: tables.map((table) => generationTable(table, generation)) };
  const rows = await writer.rows<{ table: string; name: string }>(columnsSql, { params });
  const there = new Set(rows.map(({ table, name }) => `${table}.${name}`));
  return tables.map((table) => ({
    table,
    missing: Object.keys(table.fields).filter((field) => !there.has(`${generationTable(table, generation)}.${field}`)),
  }));
};

/**
 * Creates the tables of a generation, not yet visible to readers. Existing tables only get new columns, empty in existing rows. Any
 * other change needs a new generation.
 */
export const createGenerationTables = async (writer: ClickHouseWriter, which: Generation): Promise<void> => {
  const { projection, generation } = which;
  await resetProgressOfLostTables(writer, which);
  for (const table of projection.tables) await writer.run(createTable(table, generation));
  for (const { table, missing } of await missingColumns(writer, projection.tables, generation))
    if (missing.length > 0) await writer.run(addColumns(table, generation, missing));
};

/** Creates all views concurrently, because a replay may have paused the live generation meanwhile. */
const pointViews = async (writer: ClickHouseWriter, { projection, generation }: Generation): Promise<void> => {
  const views = [
    ...projection.tables.map((table) => createLiveView(table, generation)),
    ...(projection.views ?? []).map((view) => createView(view, generation)),
  ];
  await Promise.all(views.map((view) => writer.run(view)));
};

/** How long readers may cache the list of the incomplete relations, in ms. */
export const incompleteListMaxAgeMs = 1_000;

/** Time after which all readers use a changed list, in ms: the cache's maximum age and the duration of their query. */
const incompleteListWaitMs = incompleteListMaxAgeMs + 200;

/** Switches the views that readers use to a generation. `live`: that generation and those of all other projections. */
export const pointReadersAt = async (
  writer: ClickHouseWriter,
  which: Generation,
  live: readonly Generation[],
): Promise<void> => {
  // Readers are kept from incomplete relations before the switch to them until after the switch away from them.
  if (which.incompleteTables?.length) {
    await pointIncompleteView(writer, live);
    await sleep(incompleteListWaitMs);
  }
  await pointViews(writer, which);
  // This switches readers that look up the live generation and read its physical tables.
  await pointProgressView(writer, live);
  if (!which.incompleteTables?.length) await pointIncompleteView(writer, live);
  // Not fatal: runAnalystViewRepair creates the analysts' views later, and logs the failure.
  await pointAnalystRowsAt(writer, which).catch(() => undefined);
};

/** Creates the database and the progress table, which everything else needs. */
export const createDatabaseAndProgress = async (writer: ClickHouseWriter): Promise<void> => {
  await writer.createDatabase();
  await writer.run(createTable(progress, 1));
};

interface OtherGenerations {
  /** Generations kept for a rollback. */
  readonly kept?: readonly Generation[];
  /** Live generations that a newer build writes. */
  readonly others?: readonly Generation[];
}

/** Creates or updates all tables, views and dictionaries; idempotent. */
export const ensureSchema = async (
  writer: ClickHouseWriter,
  live: readonly Generation[],
  { kept = [], others = [] }: OtherGenerations = {},
): Promise<void> => {
  await createDatabaseAndProgress(writer);
  await pointIncompleteView(writer, [...live, ...others]);
  for (const each of [...live, ...kept]) await createGenerationTables(writer, each);
  for (const each of live) await pointViews(writer, each);
  await pointProgressView(writer, [...live, ...others]);
  for (const dictionary of dictionaries) await writer.run(createDictionary(dictionary, writer));
};

/** Drops the tables of a generation if they exist. Running queries finish. */
export const dropGenerationTables = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<void> => {
  for (const table of projection.tables) await writer.run(`DROP TABLE IF EXISTS ${generationTable(table, generation)}`);
};
