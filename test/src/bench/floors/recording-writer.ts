import { generationTable, type TableDefinition } from '@popsvc/contracts/tables';
import type { Insert, Writer } from '@popsvc/platform/read-store';

/** A writer that remembers what went into the tables of facts, batch by batch, as it was sent. */
export const recordingWriter = (writer: Writer, generation: number, facts: readonly TableDefinition[]) => {
  const inserts: { readonly table: TableDefinition; readonly insert: Insert }[] = [];
  const recording: Writer = {
    ...writer,
    async insert(insert) {
      const table = facts.find((fact) => generationTable(fact, generation) === insert.table);
      if (table) inserts.push({ table, insert });
      await writer.insert(insert);
    },
  };
  return { recording, inserts };
};
