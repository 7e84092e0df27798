import { lastSequenceAt } from '@popsvc/contracts/events';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { highestPosition, lowestPosition } from '@popsvc/platform/event-store';
import {
  type CheckpointStore,
  type HandledEvent,
  type Postgres,
  readGenerations,
  type RepartitionedGeneration,
  replacePartitions,
} from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { progressTable } from '@popsvc/read-models/tables';
import { endFormerDerivations } from '../engine/batch-writer.ts';
import { readResumePoint, type ResumePoint } from '../engine/checkpoint.ts';
import { divideRanges, reviveLatestRanges } from '../engine/pending-ranges.ts';
import type { Projection } from '../engine/projection.ts';
import {
  listGenerationPartitions,
  type ProjectionGeneration,
  partitionKeyOf,
  type PartitionKey,
} from '../engine/generation-partitions.ts';

export interface RepartitionDependencies {
  readonly postgres: Postgres;
  readonly shards: readonly { readonly writer: ClickHouseWriter; readonly projections: readonly Projection[] }[];
  readonly checkpoints: CheckpointStore;
  readonly log: Log;
}

const findSplit = ({ shards }: Pick<RepartitionDependencies, 'shards'>, wanted: string) => {
  for (const { writer, projections } of shards) {
    const projection = projections.find(({ name, isSplit }) => isSplit && name === wanted);
    if (projection) return { writer, projection };
  }
  return undefined;
};

const newestEvent = (events: readonly (HandledEvent | undefined)[]): HandledEvent | undefined =>
  events.reduce((newest, each) => (each && each.position > (newest?.position ?? -1n) ? each : newest), undefined);

/** New batches must end where those of the former partitions had to end, and where the rows of each former partition end. */
const joinPartitions = async (
  checkpoints: CheckpointStore,
  keys: readonly PartitionKey[],
  resumed: readonly ResumePoint[],
): Promise<Omit<RepartitionedGeneration, 'projection' | 'generation' | 'shards'>> => {
  const recorded = await Promise.all(keys.map((key) => checkpoints.read(key)));
  const position = lowestPosition(resumed.map((point) => point.position));
  const cuts = resumed.flatMap(({ reached, cuts: own }) => [reached, ...own]).filter((cut) => cut > position);
  return {
    position,
    begun: highestPosition(recorded.map(({ begun }) => begun)),
    cuts: [...new Set(cuts)].sort((one, other) => (one < other ? -1 : 1)),
    logId: recorded.map(({ logId }) => logId).find((id) => id !== '') ?? '',
    event: newestEvent(recorded.map(({ event }) => event)),
    // At most the position: a higher one would make the list of parts seem newer than the tables.
    partsPosition: lowestPosition([position, ...recorded.map(({ partsPosition }) => partsPosition)]),
  };
};

/** Columns are qualified, because an alias in SELECT hides the column of the same name. */
const joinProgress = async (
  writer: ClickHouseWriter,
  { projection, generation, position }: RepartitionedGeneration,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  const table = progressTable(projection);
  const params = { generation, from, to, position: position.toString() };
  await writer.run(
    `INSERT INTO ${table} (generation, partitions, partition, pos, as_of, changed_pos, synced_pos, run_at, epoch, written_at)
     SELECT {generation:UInt32}, {to:UInt8}, partition, {position:UInt64}, as_of, changed, synced, run, epoch, written
     FROM (
       SELECT min(p.as_of) AS as_of, max(least(p.changed_pos, {position:UInt64})) AS changed,
         min(least(p.synced_pos, {position:UInt64})) AS synced,
         if(min(p.run_at) = max(p.run_at), max(p.run_at), toDateTime64(0, 3, 'UTC')) AS run, max(p.epoch) AS epoch, max(p.written_at) AS written
       FROM ${table} AS p FINAL WHERE p.generation = {generation:UInt32} AND p.partitions = {from:UInt8}
       HAVING count() = {from:UInt8})
     ARRAY JOIN range({to:UInt8}) AS partition`,
    { params },
  );
};

/**
 * Ranges whose rows a restart of ClickHouse may have lost become pending again first: the new partitions cannot find out which former
 * partition wrote them.
 */
const distributePendingRanges = async (
  writer: ClickHouseWriter,
  which: ProjectionGeneration,
  resumed: readonly ResumePoint[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  if (!which.projection.derived) return;
  const session = { ...which, run: (query: string, params = {}) => writer.run(query, { params }) };
  for (const [index, { partition }] of listGenerationPartitions(which, from).entries()) {
    const { repeatsBatches, reached } = resumed[index]!;
    if (repeatsBatches) await reviveLatestRanges({ ...session, partition }, lastSequenceAt(reached));
  }
  await divideRanges(session, writer.shard, { from, to });
};

/**
 * No process may run the split projections meanwhile. Changes PostgreSQL last, so that an interrupted call begins again when it is
 * repeated.
 */
export const repartition = async (
  dependencies: RepartitionDependencies,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  const { postgres, checkpoints, log } = dependencies;
  const generations: RepartitionedGeneration[] = [];
  for (const { projection: name, generation, state } of await readGenerations(postgres)) {
    const found = findSplit(dependencies, name);
    if (!found || state === 'dropping') continue;
    const { writer, projection } = found;
    const which = { projection, generation };
    const keys = listGenerationPartitions(which, from).map(partitionKeyOf);
    await Promise.all(keys.map((key) => endFormerDerivations(writer, key)));
    const resumed = await Promise.all(
      keys.map((key) => readResumePoint({ checkpoints, writer, here: undefined }, key)),
    );
    const shards = writer.shard.of;
    const joined = {
      projection: name,
      generation,
      shards,
      ...(await joinPartitions(checkpoints, keys, resumed)),
    };
    await distributePendingRanges(writer, which, resumed, { from, to });
    await joinProgress(writer, joined, { from, to });
    generations.push(joined);
  }
  await replacePartitions(postgres, to, generations);
  const positions = generations.map(
    ({ projection, generation, position }) => `${projection} ${generation} at ${position}`,
  );
  log.info({ from, to, positions }, 'projections divided into another number of partitions');
};
