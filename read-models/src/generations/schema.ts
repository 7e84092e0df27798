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
import { createDictionary, dictionaries, reloadDictionaries } from '../registry/dictionaries.ts';
import { progress } from '../declarations/progress.table.ts';
import { createVerifiedRuns, verifiedRuns } from '../declarations/verified-runs.ts';
import { resetProgressOfLostTables } from './incomplete-tables.ts';
import { dropOtherRelations } from './definitions.ts';
import { type Generation, incompleteListWaitMs } from './generations.ts';
import { pointAnalystRowsAt } from './analyst-views.ts';
import { pointIncompleteView, pointProgressView } from './progress.ts';
import { physicalTables } from './table-parts.ts';

const columnsSql = `SELECT table, name FROM system.columns
  WHERE database = currentDatabase() AND table IN {tables:Array(String)}`;

/** Returns the declared columns that the tables lack because an earlier software version created them. */
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
 * Creates the tables of a generation; readers do not see them yet. New columns are added to existing tables and are empty in
 * existing rows. Any other change to a table requires a new generation.
 */
export const createGenerationTables = async (writer: ClickHouseWriter, which: Generation): Promise<void> => {
  const { projection, generation } = which;
  // The views need the tables, also those that were lost. Damage is recorded before, so readers do not take an empty table for a
  // whole one.
  if (which.damage?.length) await dropOtherRelations(writer, 'table', physicalTables(which));
  else await resetProgressOfLostTables(writer, which);
  for (const table of projection.tables) await writer.run(createTable(table, generation));
  for (const { table, missing } of await missingColumns(writer, projection.tables, generation))
    if (missing.length > 0) await writer.run(addColumns(table, generation, missing));
};

/** Creates the views concurrently to save time: a replay may keep the live generation paused until the views exist. */
const pointViews = async (writer: ClickHouseWriter, { projection, generation }: Generation): Promise<void> => {
  const views = [
    ...projection.tables.map((table) => createLiveView(table, generation)),
    ...(projection.views ?? []).map((view) => createView(view, generation)),
  ];
  await Promise.all(views.map((view) => writer.run(view)));
};

/**
 * Switches readers to a generation by replacing the views that they read. `live` contains the live generations of all
 * projections, including this generation.
 */
export const pointReadersAt = async (
  writer: ClickHouseWriter,
  which: Generation,
  live: readonly Generation[],
): Promise<void> => {
  // The list must always contain each incomplete table that readers can reach. Tables are therefore added to the list before
  // readers are switched, and removed from it afterwards.
  const isPartlyUnreadable = (which.incompleteTables?.length ?? 0) + (which.damage?.length ?? 0) > 0;
  if (isPartlyUnreadable) {
    await pointIncompleteView(writer, live);
    await sleep(incompleteListWaitMs);
  }
  await pointViews(writer, which);
  // A dictionary reads the registry's views only when it is reloaded.
  if (which.projection.name === 'registry') await reloadDictionaries(writer);
  // Some readers look up the live generation in the progress view and then read its physical tables. Replacing the progress view
  // switches these readers.
  await pointProgressView(writer, live);
  if (!isPartlyUnreadable) await pointIncompleteView(writer, live);
  // Not fatal: `runAnalystViewRepair` creates the analysts' views later, and logs the failure if it persists.
  await pointAnalystRowsAt(writer, which).catch(() => undefined);
};

/** Creates the database and the tables of progress and verified runs. Everything else depends on them. */
export const createDatabaseAndProgress = async (writer: ClickHouseWriter): Promise<void> => {
  await writer.createDatabase();
  await writer.run(createTable(progress, 1));
  await dropOtherRelations(writer, 'memory', [verifiedRuns]);
  await writer.run(createVerifiedRuns);
};

interface OtherGenerations {
  /** Generations kept for a rollback. */
  readonly kept?: readonly Generation[];
  /** Live generations that a newer version of their projection built. */
  readonly others?: readonly Generation[];
}

/** Creates or updates all tables, views and dictionaries; idempotent. */
export const ensureSchema = async (
  writer: ClickHouseWriter,
  live: readonly Generation[],
  { kept = [], others = [] }: OtherGenerations = {},
): Promise<void> => {
  await createDatabaseAndProgress(writer);
  const views = live.flatMap(({ projection: { tables, views = [] } }) => [...tables, ...views]);
  await dropOtherRelations(
    writer,
    'view',
    views.map(({ name }) => `${name}_live`),
  );
  await dropOtherRelations(
    writer,
    'dictionary',
    dictionaries.map(({ name }) => name),
  );
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
