import { progress } from '../tables/progress.table.ts';
import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { LeaseKey } from '@popsvc/platform/postgres';

/** Drops what is told of how far a generation was: its tables are gone, or made anew. */
export const dropGenerationProgress = (writer: ClickHouseWriter, { projection, generation }: LeaseKey): Promise<void> =>
  writer.run(
    `ALTER TABLE ${generationTable(progress, 1)} DELETE
       WHERE projection = {projection:String} AND generation = {generation:UInt32} SETTINGS mutations_sync = 1`,
    { params: { projection, generation } },
  );
