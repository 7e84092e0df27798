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

/** What tables of an earlier build lack. */
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
 * The tables of one generation; readers do not see them yet. What exists stays as it is, but for columns that are new: they are
 * added, empty in the rows that are there. A change of any other kind needs another generation.
 */
export const createGenerationTables = async (writer: ClickHouseWriter, which: Generation): Promise<void> => {
  const { projection, generation } = which;
  await resetProgressOfLostTables(writer, which);
  for (const table of projection.tables) await writer.run(createTable(table, generation));
  for (const { table, missing } of await missingColumns(writer, projection.tables, generation))
    if (missing.length > 0) await writer.run(addColumns(table, generation, missing));
};

/** All at once: somebody may stand still meanwhile. */
const pointViews = async (writer: ClickHouseWriter, { projection, generation }: Generation): Promise<void> => {
  const views = [
    ...projection.tables.map((table) => createLiveView(table, generation)),
    ...(projection.views ?? []).map((view) => createView(view, generation)),
  ];
  await Promise.all(views.map((view) => writer.run(view)));
};

/** Readers believe for a second what is lacking (query-api's except-lacking.ts). */
const readerCacheMs = 1_200;

/** Points the views that readers use at a generation; `live`: that one, and those of all other projections. */
export const pointReadersAt = async (
  writer: ClickHouseWriter,
  which: Generation,
  live: readonly Generation[],
): Promise<void> => {
  // What they would not find there is refused before they come, and given again once they have left.
  if (which.incompleteTables?.length) {
    await pointIncompleteView(writer, live);
    await sleep(readerCacheMs);
  }
  await pointViews(writer, which);
  // Those who ask which generation is live, and then read its own tables, change over here.
  await pointProgressView(writer, live);
  if (!which.incompleteTables?.length) await pointIncompleteView(writer, live);
  // A server may refuse what analysts need. Then it is tried again, and told, by who looks after their views.
  await pointAnalystRowsAt(writer, which).catch(() => undefined);
};

/** What is there before any table of a projection. */
export const createProgressTable = async (writer: ClickHouseWriter): Promise<void> => {
  await writer.createDatabase();
  await writer.run(createTable(progress, 1));
};

interface OtherGenerations {
  /** What readers may be sent back to. */
  readonly kept?: readonly Generation[];
  /** Live generations that another build takes care of. */
  readonly others?: readonly Generation[];
}

/** Everything the projections write to and readers read from; safe to run at every start. */
export const ensureSchema = async (
  writer: ClickHouseWriter,
  live: readonly Generation[],
  { kept = [], others = [] }: OtherGenerations = {},
): Promise<void> => {
  await createProgressTable(writer);
  await pointIncompleteView(writer, [...live, ...others]);
  for (const each of [...live, ...kept]) await createGenerationTables(writer, each);
  for (const each of live) await pointViews(writer, each);
  await pointProgressView(writer, [...live, ...others]);
  for (const dictionary of dictionaries) await writer.run(createDictionary(dictionary, writer));
};

/** Drops the tables of a generation, as far as they are there. Whoever reads them reads on. */
export const dropGenerationTables = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<void> => {
  for (const table of projection.tables) await writer.run(`DROP TABLE IF EXISTS ${generationTable(table, generation)}`);
};
