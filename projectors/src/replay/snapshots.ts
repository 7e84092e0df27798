import { generationTable, type TableDefinition } from '@popsvc/contracts/tables';
import type { Writer } from '@popsvc/platform/read-store';
import type { Projection } from '../run/projection.ts';

/** A copy of a table of a generation as it stood at a moment, made for one replay. */
export const snapshotOf = (table: TableDefinition, generation: number, replay: number): string =>
  `${generationTable(table, generation)}_at_${replay}`;

export interface Snapshots {
  readonly projection: Projection;
  readonly generations: readonly number[];
  readonly replay: number;
}

const names = ({ projection, generations, replay }: Snapshots) =>
  projection.tables.flatMap((table) =>
    generations.map((generation) => ({
      table: generationTable(table, generation),
      copy: snapshotOf(table, generation, replay),
    })),
  );

/** Copies share their parts with the tables, so that making one takes a moment whatever the size. */
export const takeSnapshots = async (writer: Writer, which: Snapshots): Promise<void> => {
  await dropSnapshots(writer, which);
  for (const { table, copy } of names(which)) {
    await writer.run(`CREATE TABLE ${copy} AS ${table}`);
    await writer.run(`ALTER TABLE ${copy} ATTACH PARTITION ALL FROM ${table}`);
  }
};

export const dropSnapshots = async (writer: Writer, which: Snapshots): Promise<void> => {
  for (const { copy } of names(which)) await writer.run(`DROP TABLE IF EXISTS ${copy} SYNC`);
};
