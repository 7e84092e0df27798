import { progress } from '../tables/progress.table.ts';
import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { dropGenerationProgress } from './drop-progress.ts';
import type { Generation } from './live.ts';

const absentSql = `SELECT arrayJoin({wanted:Array(String)}) AS name
  WHERE name NOT IN (SELECT name FROM system.tables WHERE database = currentDatabase())`;

/** Names, without the generation, of the tables that a generation has not. */
export const absentTables = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<readonly string[]> => {
  const wanted = projection.tables.map((table) => generationTable(table, generation));
  const absent = await writer.rows<{ name: string }>(absentSql, { params: { wanted } });
  return projection.tables
    .filter((table) => absent.some(({ name }) => name === generationTable(table, generation)))
    .map(({ name }) => name);
};

/** Whether anything of a generation was ever told to be written. */
export const isBegun = async (writer: ClickHouseWriter, { projection, generation }: Generation): Promise<boolean> => {
  const [row] = await writer.rows<{ batches: string }>(
    `SELECT count() AS batches FROM ${generationTable(progress, 1)}
     WHERE projection = {projection:String} AND generation = {generation:UInt32}`,
    { params: { projection: projection.name, generation } },
  );
  return Number(row?.batches) > 0;
};

/**
 * A table that is made anew holds nothing, whatever was written under its name before: somebody dropped it, or PostgreSQL was
 * restored to a time when this generation was live. What is told of its progress goes, so that it is folded from the start.
 * What is newer than the generation is another matter: that it lacks.
 */
export const forgetProgress = async (writer: ClickHouseWriter, which: Generation): Promise<void> => {
  const absent = await absentTables(writer, which);
  if (absent.every((name) => which.incompleteTables?.includes(name))) return;
  await dropGenerationProgress(writer, { projection: which.projection.name, generation: which.generation });
};
