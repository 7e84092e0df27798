import { progress } from '@popsvc/read-models/tables';
import { generationTable, type Insert, type TableDefinition, type ClickHouseWriter } from '@popsvc/platform/clickhouse';

/** Rows as they were sent, or would be. */
export interface Prebuilt {
  readonly table: TableDefinition;
  readonly insert: Pick<Insert, 'columns' | 'body'>;
}

/** A writer that remembers what was inserted into tables of a generation, a list a batch: the progress of each is written at its end. */
export const recordingWriter = (writer: ClickHouseWriter, generation: number, tables: readonly TableDefinition[]) => {
  const batches: Prebuilt[][] = [];
  let open: Prebuilt[] = [];
  const recording: ClickHouseWriter = {
    ...writer,
    async insert(insert) {
      await writer.insert(insert);
      const table = tables.find((known) => generationTable(known, generation) === insert.table);
      if (table) open.push({ table, insert });
      if (insert.table !== generationTable(progress, 1)) return;
      batches.push(open);
      open = [];
    },
  };
  return { recording, batches };
};
