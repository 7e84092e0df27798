import {
  generationTable,
  runOnEachServer,
  type TableDefinition,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import pLimit from 'p-limit';
import type { Projection } from '../projection.ts';

/** Concurrency shortens the pause of the live generation. */
const maxConcurrentStatements = 6;

/**
 * `epoch`: fencing token of the replay's lease. A process that lost the lease has a lower epoch, so it never uses its successor's
 * snapshots.
 */
export interface SnapshotOwner {
  readonly replay: number;
  readonly epoch: bigint;
}

export interface Snapshots extends SnapshotOwner {
  readonly projection: Projection;
  readonly generations: readonly number[];
}

/** For example `coffee_g7_at_12_3`. */
export const snapshotName = (table: TableDefinition, generation: number, { replay, epoch }: SnapshotOwner): string =>
  `${generationTable(table, generation)}_at_${replay}_${epoch}`;

export const listSnapshots = (which: Snapshots, tables = which.projection.tables) =>
  tables.flatMap((table) =>
    which.generations.map((generation) => ({
      table: generationTable(table, generation),
      copy: snapshotName(table, generation, which),
    })),
  );

export const forEachTable = <T>(items: readonly T[], work: (one: T) => Promise<void>): Promise<unknown> => {
  const limit = pLimit(maxConcurrentStatements);
  return Promise.all(items.map((one) => limit(() => work(one))));
};

/**
 * The tables share the data parts, so the copy is fast for tables of any size. In a cluster, one replica attaches the parts and the others
 * fetch them.
 */
export const attachAllPartitions = async (writer: ClickHouseWriter, to: string, from: string): Promise<void> => {
  await writer.run(`ALTER TABLE ${to} ATTACH PARTITION ALL FROM ${from}`);
  if (writer.cluster !== undefined) await runOnEachServer(writer, `SYSTEM SYNC REPLICA ${to} LIGHTWEIGHT`);
};

const take = async (writer: ClickHouseWriter, { table, copy }: { readonly table: string; readonly copy: string }) => {
  await writer.run(`CREATE TABLE ${copy} AS ${table}`);
  await attachAllPartitions(writer, copy, table);
};

/**
 * Copies the pending ranges first: rows that are derived meanwhile are then still pending in the snapshot, and the comparison leaves them
 * out.
 */
export const takeSnapshots = async (writer: ClickHouseWriter, which: Snapshots, signal: AbortSignal): Promise<void> => {
  await dropSnapshots(writer, which);
  const { derived, tables } = which.projection;
  const pending = derived?.pending;
  const takeAll = (tables: readonly TableDefinition[]) =>
    forEachTable(listSnapshots(which, tables), async (each) => {
      signal.throwIfAborted();
      await take(writer, each);
    });
  if (pending) await takeAll([pending]);
  await takeAll(tables.filter((table) => table !== pending && table !== derived?.history));
};

const drop = (writer: ClickHouseWriter, copy: string) => writer.run(`DROP TABLE IF EXISTS ${copy} SYNC`);

export const dropSnapshots = async (writer: ClickHouseWriter, which: Snapshots): Promise<void> => {
  await forEachTable(listSnapshots(which), ({ copy }) => drop(writer, copy));
};

const copiesSql = `SELECT name FROM system.tables
  WHERE database = currentDatabase() AND match(name, '_g[0-9]+_at_[0-9]+_[0-9]+$')`;

/** Keeps snapshots of a later epoch, which may be in use. */
export const dropSnapshotsOfReplay = (writer: ClickHouseWriter, { replay, epoch }: SnapshotOwner): Promise<void> =>
  dropStaleSnapshots(writer, (owner) => owner.replay !== replay || owner.epoch > epoch);

export const dropStaleSnapshots = async (
  writer: ClickHouseWriter,
  isInUse: (owner: SnapshotOwner) => boolean | Promise<boolean>,
): Promise<void> => {
  for (const { name } of await writer.rows<{ name: string }>(copiesSql)) {
    const [, replay, epoch] = /_at_(\d+)_(\d+)$/.exec(name)!;
    if (!(await isInUse({ replay: Number(replay), epoch: BigInt(epoch!) }))) await drop(writer, name);
  }
};
