import {
  type LostPart,
  type Postgres,
  readGenerations,
  type PartSnapshot,
  storePartList,
  type TableDamage,
  takePartSnapshot,
} from '@popsvc/platform/postgres';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Log } from '@popsvc/platform/telemetry';
import { readActiveParts, verifyGeneration } from '@popsvc/read-models/generations';
import pLimit from 'p-limit';
import { type ProjectionGeneration, type GenerationPartition, partitionKeyOf } from './generation-partitions.ts';
import { RunEnded } from './run-ended.ts';

const maxNamed = 3;

const describeDamage = ({ table, part, problem }: TableDamage): string =>
  part === null ? `${table}: ${problem}` : `${table}, part ${part}: ${problem}`;

/** Ends the run, because rows derived from incomplete tables could be wrong. Only a replay repairs the tables. */
export class DamagedTables extends RunEnded {
  override readonly name = 'DamagedTables';

  constructor({ projection, generation }: ProjectionGeneration, damage: readonly TableDamage[]) {
    const named = damage.slice(0, maxNamed).map(describeDamage).join('; ');
    const more = damage.length > maxNamed ? `; and ${damage.length - maxNamed} more` : '';
    super(
      `${projection.name} generation ${generation} is damaged (${named}${more}); a replay builds the next generation`,
    );
  }
}

/** Records which ClickHouse parts a generation has, so that their loss is noticed after a restart of ClickHouse. */
export interface PartRecorder {
  /** Call it after each batch and each unit of pending ranges. `position`: the end of the last batch. */
  rowsWritten(position: bigint): Promise<void>;
  finish(position: bigint, assertSameServer: () => Promise<void>): Promise<void>;
  /** Returns false if the list was not stored, for example because ClickHouse restarted. */
  recordHealed(healed: readonly LostPart[], position: bigint, assertSameServer: () => Promise<void>): Promise<boolean>;
}

/** One snapshot at a time, so that the snapshots of a process do not use all connections to PostgreSQL. */
const limitSnapshots = pLimit(1);

const intervalMs = 30_000;

interface Snapshot {
  readonly position: bigint;
  readonly taken: PartSnapshot;
}

interface PartRecorderDependencies {
  readonly postgres: Postgres;
  readonly writer: ClickHouseWriter;
  readonly log: Log;
}

/**
 * Throws `DamagedTables` if only a replay can repair the tables. During a run, a snapshot becomes the stored list only after 30 s, because
 * ClickHouse does not sync merged parts to disk.
 */
export const openPartRecorder = async (
  dependencies: PartRecorderDependencies,
  target: GenerationPartition,
  epoch: bigint,
): Promise<PartRecorder> => {
  const { postgres, writer, log } = dependencies;
  const { projection, generation, partition } = target;
  const key = partitionKeyOf(target);
  const record = (await readGenerations(postgres)).find(
    (each) => each.projection === projection.name && each.generation === generation,
  );
  if (record && record.damage.length > 0) throw new DamagedTables(target, record.damage);
  const damage = await verifyGeneration(dependencies, {
    projection,
    generation,
    partitions: partition.of,
    ...(record && { incompleteTables: record.incompleteTables, healing: record.healing }),
  });
  if (damage.length > 0) throw new DamagedTables(target, damage);

  let pending: Snapshot | undefined;
  let takenAt = performance.now();

  const takeSnapshot = async (position: bigint): Promise<Snapshot> => ({
    position,
    taken: await limitSnapshots(() =>
      takePartSnapshot(postgres, key, () => readActiveParts(writer, { projection, generation })),
    ),
  });
  const store = ({ position, taken }: Snapshot, healed: readonly LostPart[] = []) =>
    storePartList(postgres, { ...key, epoch, position, snapshot: taken, healed });
  const logFailure = (err: unknown) => log.warn({ err, ...key }, 'failed to store the list of parts');
  const storeNow = async (
    position: bigint,
    assertSameServer: () => Promise<void>,
    healed: readonly LostPart[] = [],
  ) => {
    try {
      const last = await takeSnapshot(position);
      await assertSameServer();
      pending = undefined;
      return await store(last, healed);
    } catch (err) {
      logFailure(err);
      return false;
    }
  };
  return {
    async rowsWritten(position) {
      if (pending && performance.now() - takenAt < intervalMs) return;
      takenAt = performance.now();
      try {
        const snapshot = await takeSnapshot(position);
        if (pending) await store(pending);
        pending = snapshot;
      } catch (err) {
        logFailure(err);
      }
    },
    async finish(position, assertSameServer) {
      await storeNow(position, assertSameServer);
    },
    async recordHealed(healed, position, assertSameServer) {
      const isStored = await storeNow(position, assertSameServer, healed);
      if (isStored) log.info({ ...key, healed: healed.length }, 'lost rows were derived again');
      return isStored;
    },
  };
};
