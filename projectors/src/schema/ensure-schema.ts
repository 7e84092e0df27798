import { generationTable, progress, type TableDefinition } from '@popsvc/contracts/tables';
import {
  addColumns,
  createDictionary,
  createLiveView,
  createTable,
  createView,
  dictionaries,
  type Writer,
} from '@popsvc/platform/read-store';
import type { Live } from './live.ts';
import { pointOwnRows } from './own-rows.ts';

const columnsSql = 'SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}';

/** What a table of an earlier build lacks. */
const missingColumns = async (writer: Writer, table: TableDefinition, generation: number): Promise<string[]> => {
  const params = { table: generationTable(table, generation) };
  const there = new Set((await writer.rows<{ name: string }>(columnsSql, { params })).map(({ name }) => name));
  return Object.keys(table.fields).filter((field) => !there.has(field));
};

const absentSql = `SELECT arrayJoin({wanted:Array(String)}) AS name
  WHERE name NOT IN (SELECT name FROM system.tables WHERE database = currentDatabase())`;

/**
 * A table that is made anew holds nothing, whatever was written under its name before: somebody dropped it, or PostgreSQL was
 * restored to a time when this generation was live. What is told of its progress goes, so that it is folded from the start.
 */
const forgetProgress = async (writer: Writer, { projection, generation }: Live): Promise<void> => {
  const wanted = projection.tables.map((table) => generationTable(table, generation));
  const absent = await writer.rows<{ name: string }>(absentSql, { params: { wanted } });
  if (absent.length === 0) return;
  await writer.run(
    `ALTER TABLE ${generationTable(progress, 1)} DELETE
       WHERE projection = {projection:String} AND generation = {generation:UInt32} SETTINGS mutations_sync = 1`,
    { params: { projection: projection.name, generation } },
  );
};

/**
 * The tables of one generation; readers do not see them yet. What exists stays as it is, but for columns that are new: they are
 * added, empty in the rows that are there. A change of any other kind needs another generation.
 */
export const createGeneration = async (writer: Writer, { projection, generation }: Live): Promise<void> => {
  await forgetProgress(writer, { projection, generation });
  for (const table of projection.tables) {
    await writer.run(createTable(table, generation));
    const missing = await missingColumns(writer, table, generation);
    if (missing.length > 0) await writer.run(addColumns(table, generation, missing));
  }
};

/** How far each live generation is projected, for the readers. */
const progressView = (live: readonly Live[]): string => {
  const which = live.map(({ projection, generation }) => `('${projection.name}', ${generation})`).join(', ');
  return `CREATE OR REPLACE VIEW progress_live AS
    SELECT projection, generation, max(pos) AS pos, max(as_of) AS as_of FROM ${generationTable(progress, 1)}
    WHERE (projection, generation) IN (${which}) GROUP BY projection, generation`;
};

/** All at once: somebody may stand still meanwhile. */
const pointViews = async (writer: Writer, { projection, generation }: Live): Promise<void> => {
  const views = [
    ...projection.tables.map((table) => createLiveView(table, generation)),
    ...(projection.views ?? []).map((view) => createView(view, generation)),
  ];
  await Promise.all(views.map((view) => writer.run(view)));
};

/** Points the views that readers use at a generation; `live`: that one, and those of all other projections. */
export const pointReaders = async (writer: Writer, which: Live, live: readonly Live[]): Promise<void> => {
  await pointViews(writer, which);
  await pointOwnRows(writer, which);
  // Those who ask which generation is live, and then read its own tables, change over here.
  await writer.run(progressView(live));
};

export interface Beside {
  /** What readers may be sent back to. */
  readonly kept?: readonly Live[];
  /** Live generations that another build takes care of. */
  readonly others?: readonly Live[];
}

/** Everything the projections write to and readers read from; safe to run at every start. */
export const ensureSchema = async (
  writer: Writer,
  live: readonly Live[],
  { kept = [], others = [] }: Beside = {},
): Promise<void> => {
  await writer.createDatabase();
  await writer.run(createTable(progress, 1));
  for (const each of [...live, ...kept]) await createGeneration(writer, each);
  for (const each of live) await pointViews(writer, each);
  await writer.run(progressView([...live, ...others]));
  for (const dictionary of dictionaries) await writer.run(createDictionary(dictionary, writer));
};
