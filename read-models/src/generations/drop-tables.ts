import { generationTable, type Writer } from '@popsvc/platform/clickhouse';
import type { Live } from './live.ts';

/** Drops the tables of a generation, as far as they are there. Whoever reads them reads on. */
export const dropTables = async (writer: Writer, { projection, generation }: Live): Promise<void> => {
  for (const table of projection.tables) await writer.run(`DROP TABLE IF EXISTS ${generationTable(table, generation)}`);
};
