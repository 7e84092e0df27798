import { generationTable, type TableDefinition } from '@popsvc/contracts/tables';
import type { Writer } from '@popsvc/platform/read-store';
import pLimit from 'p-limit';
import type { Projection } from '../run/projection.ts';

const atATime = 6;

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

/** Several at a time: somebody stands still meanwhile. */
const eachOf = (which: Snapshots, work: (of: ReturnType<typeof names>[number]) => Promise<void>) => {
  const one = pLimit(atATime);
  return Promise.all(names(which).map((of) => one(() => work(of))));
};

/** Copies share their parts with the tables, so that making one takes a moment whatever the size. */
export const takeSnapshots = async (writer: Writer, which: Snapshots): Promise<void> => {
  await dropSnapshots(writer, which);
  await eachOf(which, async ({ table, copy }) => {
    await writer.run(`CREATE TABLE ${copy} AS ${table}`);
    await writer.run(`ALTER TABLE ${copy} ATTACH PARTITION ALL FROM ${table}`);
  });
};

export const dropSnapshots = async (writer: Writer, which: Snapshots): Promise<void> => {
  await eachOf(which, ({ copy }) => writer.run(`DROP TABLE IF EXISTS ${copy} SYNC`));
};
