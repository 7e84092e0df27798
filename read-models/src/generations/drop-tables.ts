import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Generation } from './live.ts';

/** Drops the tables of a generation, as far as they are there. Whoever reads them reads on. */
export const dropGenerationTables = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<void> => {
  for (const table of projection.tables) await writer.run(`DROP TABLE IF EXISTS ${generationTable(table, generation)}`);
};
