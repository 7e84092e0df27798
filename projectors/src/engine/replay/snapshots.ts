import { generationTable, type TableDefinition, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import pLimit from 'p-limit';
import type { Projection } from '../projection.ts';

const atATime = 6;

/** Whose copies they are: one who was thought dead and comes back has a lower epoch, and meets none but its own. */
export interface SnapshotOwner {
  readonly replay: number;
  readonly epoch: bigint;
}

export interface Snapshots extends SnapshotOwner {
  readonly projection: Projection;
  readonly generations: readonly number[];
}

/** A copy of a table of a generation as it stood at a moment. */
export const snapshotName = (table: TableDefinition, generation: number, { replay, epoch }: SnapshotOwner): string =>
  `${generationTable(table, generation)}_at_${replay}_${epoch}`;

export const listSnapshots = (which: Snapshots) =>
  which.projection.tables.flatMap((table) =>
    which.generations.map((generation) => ({
      table: generationTable(table, generation),
      copy: snapshotName(table, generation, which),
    })),
  );

/** Several at a time: somebody stands still meanwhile. */
const each = <T>(of: readonly T[], work: (one: T) => Promise<void>): Promise<unknown> => {
  const limit = pLimit(atATime);
  return Promise.all(of.map((one) => limit(() => work(one))));
};

/** Copies share their parts with the tables, so that making one takes a moment whatever the size. */
export const takeSnapshots = async (writer: ClickHouseWriter, which: Snapshots, signal: AbortSignal): Promise<void> => {
  await dropSnapshots(writer, which);
  await each(listSnapshots(which), async ({ table, copy }) => {
    signal.throwIfAborted();
    await writer.run(`CREATE TABLE ${copy} AS ${table}`);
    await writer.run(`ALTER TABLE ${copy} ATTACH PARTITION ALL FROM ${table}`);
  });
};

const drop = (writer: ClickHouseWriter, copy: string) => writer.run(`DROP TABLE IF EXISTS ${copy} SYNC`);

export const dropSnapshots = async (writer: ClickHouseWriter, which: Snapshots): Promise<void> => {
  await each(listSnapshots(which), ({ copy }) => drop(writer, copy));
};

const copiesSql = `SELECT name FROM system.tables
  WHERE database = currentDatabase() AND match(name, '_g[0-9]+_at_[0-9]+(_[0-9]+)?$')`;

/** Drops copies of a replay that somebody left behind. One of a later epoch may be at work, if this one slept. */
export const dropSnapshotsOfReplay = (writer: ClickHouseWriter, { replay, epoch }: SnapshotOwner): Promise<void> =>
  dropStaleSnapshots(writer, (whose) => whose.replay !== replay || whose.epoch > epoch);

/** Drops copies that somebody left behind, all those but which are of use. */
export const dropStaleSnapshots = async (
  writer: ClickHouseWriter,
  isOfUse: (whose: SnapshotOwner) => boolean | Promise<boolean>,
): Promise<void> => {
  for (const { name } of await writer.rows<{ name: string }>(copiesSql)) {
    const [, replay, epoch = '0'] = /_at_(\d+)(?:_(\d+))?$/.exec(name)!;
    if (!(await isOfUse({ replay: Number(replay), epoch: BigInt(epoch) }))) await drop(writer, name);
  }
};
