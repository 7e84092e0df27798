import { wholeProjection } from '@popsvc/domain/partitioning';
import { generationTable, openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import {
  createCheckpointStore,
  createLeaseStore,
  openPostgres,
  registerProjection,
  type ReplaySource,
} from '@popsvc/platform/postgres';
import { buildGeneration, buildThreads, type BuildTarget, copyFacts } from '@popsvc/projectors/engine/replay';
import { type Projection, runProjection, type RunnerDependencies } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema, markRunVerified } from '@popsvc/read-models/generations';
import { silentLog } from './engines.ts';
import type { Rig } from './testbed.ts';

export interface Projector {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  /** Projects the log up to a position into a generation, batch by batch, as the live projection does. */
  run(projection: Projection, generation: number, upTo: bigint, customWriter?: ClickHouseWriter): Promise<void>;
  /** Builds a generation from the log as a replay does, with low-priority statements. */
  build(projection: Projection, generation: number, upTo: bigint): Promise<void>;
  /** Copies the facts of one generation to another and derives the rows from them, as a replay from facts does. */
  derive(projection: Projection, from: number, generation: number): Promise<void>;
  drop(projection: Projection, generation: number): Promise<void>;
}

/** Runs a partition of a projection until it has handled the log up to a position and has no pending ranges. */
export const runUntil = async (
  dependencies: Omit<RunnerDependencies, 'onBatch' | 'onUnit'>,
  unit: Parameters<typeof runProjection>[1],
  upTo: bigint,
): Promise<void> => {
  const stop = new AbortController();
  let isReached = false;
  const onUnit = (_: Projection, pendingNetworks: number) => {
    if (isReached && pendingNetworks === 0) stop.abort();
  };
  const onBatch: RunnerDependencies['onBatch'] = (which, batch, _, pendingNetworks) => {
    isReached = batch.upTo >= upTo;
    onUnit(which, pendingNetworks);
  };
  await runProjection({ ...dependencies, onBatch, onUnit }, unit, stop.signal);
};

/** Runs projections in this process, on the engines of the rig. */
export const openProjector = async (rig: Rig): Promise<Projector> => {
  const [{ url, writer: user }, node] = [await rig.clickhouse(), await rig.eventStore()];
  const postgres = openPostgres({ url: await rig.postgres(), log: silentLog, name: 'bench' });
  rig.onClose(() => postgres.end());
  const store = openEventStore({ url: node.url });
  rig.onClose(() => store.close());
  const writer = openClickHouseWriter({ url, ...user });
  rig.onClose(() => writer.close());
  const openGentle = (source: ReplaySource) => {
    const gentle = openClickHouseWriter({ url, ...user, lowPriority: { threads: buildThreads[source] } });
    rig.onClose(() => gentle.close());
    return gentle;
  };
  const gentle = { log: openGentle('log'), facts: openGentle('facts') };
  await ensureSchema(
    writer,
    allProjections.map((projection) => ({ projection, generation: 1 })),
  );
  await markRunVerified(writer);
  const ofRecords = { postgres, checkpoints: createCheckpointStore(postgres), leases: createLeaseStore(postgres) };
  const shared = { store, ...ofRecords, log: silentLog, owner: 'bench' };
  const beginGeneration = async ({ name, version }: Projection, generation: number) => {
    await registerProjection(postgres, name, version);
    await postgres.query(
      `INSERT INTO generations (projection, generation, state, version) VALUES ($1, $2, 'building', $3)`,
      [name, generation, version],
    );
  };
  const build = (source: ReplaySource, target: BuildTarget) =>
    buildGeneration({ ...shared, writer: gentle[source] }, target, () => undefined, new AbortController().signal);
  return {
    store,
    writer,
    run: (projection, generation, upTo, through = writer) =>
      runUntil({ ...shared, postgres, writer: through }, { projection, generation, partition: wholeProjection }, upTo),
    async build(projection, generation, upTo) {
      await beginGeneration(projection, generation);
      await build('log', { projection, generation, partition: wholeProjection, upTo });
    },
    async derive(projection, from, generation) {
      await beginGeneration(projection, generation);
      const parts = { ...shared, postgres, writer: gentle.facts, projections: allProjections, keepMs: 0 };
      await copyFacts(parts, { projection, from, to: generation, epoch: 1n }, new AbortController().signal);
      const { position: upTo } = await shared.checkpoints.read({ projection: projection.name, generation });
      await build('facts', { projection, generation, partition: wholeProjection, upTo });
    },
    async drop({ tables }, generation) {
      for (const table of tables) await writer.run(`DROP TABLE IF EXISTS ${generationTable(table, generation)} SYNC`);
    },
  };
};

export const findProjection = (name: Projection['name']): Projection =>
  allProjections.find((projection) => projection.name === name)!;
