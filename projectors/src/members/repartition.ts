import { lastSequenceAt } from '@popsvc/contracts/events';
import { listPartitions } from '@popsvc/domain/partitioning';
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
import { liveBatchLimits } from '../engine/batch.ts';
import { readResumePoint, type ResumePoint } from '../engine/checkpoint.ts';
import { divideRanges, reviveLatestRanges } from '../engine/pending-ranges.ts';
import type { Projection } from '../engine/projection.ts';
import { listUnits, type ProjectionGeneration, unitKeyOf, type UnitKey } from '../engine/units.ts';

export interface RepartitionDependencies {
  readonly postgres: Postgres;
  /** A writer for each shard, with the projections of its networks. */
  readonly shards: readonly { readonly writer: ClickHouseWriter; readonly projections: readonly Projection[] }[];
  readonly checkpoints: CheckpointStore;
  readonly log: Log;
}

/** Finds a split projection by its name, with the writer of its shard. */
const findSplit = ({ shards }: Pick<RepartitionDependencies, 'shards'>, wanted: string) => {
  for (const { writer, projections } of shards) {
    const projection = projections.find(({ name, isSplit }) => isSplit && name === wanted);
    if (projection) return { writer, projection };
  }
  return undefined;
};

const newestEvent = (events: readonly (HandledEvent | undefined)[]): HandledEvent | undefined =>
  events.reduce((newest, each) => (each && each.position > (newest?.position ?? -1n) ? each : newest), undefined);

/** Maximum number of rows of former batches between two cuts. */
const maxRowsBetweenCuts = liveBatchLimits.rows;

/**
 * Chooses ends of former batches so that the batches between a position and the highest one have a limited number of rows. These
 * batches are complete, so batches with any ends write the same rows.
 */
const readIntermediateCuts = async (
  writer: ClickHouseWriter,
  { projection, generation, partitions }: UnitKey,
  after: bigint,
): Promise<readonly bigint[]> => {
  const rows = await writer.rows<{ pos: string; rows: number }>(
    `SELECT toString(pos) AS pos, toFloat64(rows) AS rows FROM ${progressTable(projection)} AS p
     WHERE generation = {generation:UInt32} AND partitions = {partitions:UInt8} AND p.pos > {after:UInt64} ORDER BY p.pos`,
    { params: { generation, partitions, after: after.toString() } },
  );
  const cuts: bigint[] = [];
  let sum = 0;
  for (const batch of rows) {
    sum += batch.rows;
    if (sum < maxRowsBetweenCuts) continue;
    cuts.push(BigInt(batch.pos));
    sum = 0;
  }
  return cuts;
};

/**
 * Joins the former partitions of a generation: each new one begins at the lowest of the positions where they would resume. A former
 * batch may be written in part, with rows that a later event removes. Only a batch with the same end writes the same rows, so that
 * the removal is written later. The new batches therefore end where such a batch ended.
 */
const joinUnits = async (
  { checkpoints, writer }: { readonly checkpoints: CheckpointStore; readonly writer: ClickHouseWriter },
  keys: readonly UnitKey[],
  resumed: readonly ResumePoint[],
): Promise<Omit<RepartitionedGeneration, 'projection' | 'generation' | 'shards'>> => {
  const recorded = await Promise.all(keys.map((key) => checkpoints.read(key)));
  const position = lowestPosition(resumed.map((point) => point.position));
  const ends = resumed.flatMap((point) => [point.position, ...point.cuts]).filter((cut) => cut > position);
  const cuts = [...ends, ...(await readIntermediateCuts(writer, keys[0]!, position))];
  return {
    position,
    begun: highestPosition(recorded.map(({ begun }) => begun)),
    cuts: [...new Set(cuts)].sort((one, other) => (one < other ? -1 : 1)),
    logId: recorded.map(({ logId }) => logId).find((id) => id !== '') ?? '',
    event: newestEvent(recorded.map(({ event }) => event)),
    // Not above the position: the list of parts would seem newer than the tables.
    partsPosition: lowestPosition([position, ...recorded.map(({ partsPosition }) => partsPosition)]),
  };
};

/**
 * Copies the progress of the former partitions up to a position that all of them have reached. The column is qualified, because an alias
 * of REPLACE hides the column of its name.
 */
const copyProgress = async (
  writer: ClickHouseWriter,
  { projection, generation, position }: RepartitionedGeneration,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  const table = progressTable(projection);
  for (const { index } of listPartitions(to))
    await writer.run(
      `INSERT INTO ${table} SELECT * REPLACE (toUInt8({to:UInt8}) AS partitions, toUInt8({partition:UInt8}) AS partition)
       FROM ${table} AS p WHERE p.generation = {generation:UInt32} AND p.partitions = {from:UInt8} AND p.pos <= {position:UInt64}`,
      { params: { generation, from, to, partition: index, position: position.toString() } },
    );
};

/**
 * Gives the pending ranges of the former partitions to those that own their networks now. If ClickHouse restarted since a former
 * partition derived its latest ranges, they become pending again first: the new partitions do not see which of the former ones would
 * have repeated batches.
 */
const distributePendingRanges = async (
  writer: ClickHouseWriter,
  which: ProjectionGeneration,
  resumed: readonly ResumePoint[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  if (!which.projection.derived) return;
  const session = { ...which, run: (query: string, params = {}) => writer.run(query, { params }) };
  for (const [index, { partition }] of listUnits(which, from).entries()) {
    const { position, derivedUpTo } = resumed[index]!;
    if (position < derivedUpTo) await reviveLatestRanges({ ...session, partition }, lastSequenceAt(derivedUpTo));
  }
  await divideRanges(session, writer.shard, { from, to });
};

/**
 * Changes the number of partitions of the split projections. No process may run them meanwhile. Events between the lowest and the
 * other positions are folded again, with the same rows. If it is interrupted, a repeated call begins again: PostgreSQL is changed last.
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
    const keys = listUnits(which, from).map(unitKeyOf);
    const resumed = await Promise.all(
      keys.map((key) => readResumePoint({ checkpoints, writer, here: undefined }, key)),
    );
    const shards = writer.shard.of;
    const joined = {
      projection: name,
      generation,
      shards,
      ...(await joinUnits({ checkpoints, writer }, keys, resumed)),
    };
    await distributePendingRanges(writer, which, resumed, { from, to });
    await copyProgress(writer, joined, { from, to });
    generations.push(joined);
  }
  await replacePartitions(postgres, to, generations);
  const positions = generations.map(
    ({ projection, generation, position }) => `${projection} ${generation} at ${position}`,
  );
  log.info({ from, to, positions }, 'projections divided into another number of partitions');
};
