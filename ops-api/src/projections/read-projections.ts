import { ApiError } from '@popsvc/contracts/errors';
import { listPartitions, selectStreams } from '@popsvc/domain/partitioning';
import { createLagMeter, type EventStore, lowestPosition } from '@popsvc/platform/event-store';
import {
  countParkedEvents,
  type GenerationRecord,
  type Postgres,
  readGenerations,
  readProjectionStatuses,
} from '@popsvc/platform/postgres';
import { countPartitions, damagedTables, type ProjectionDeclaration } from '@popsvc/read-models/generations';

export interface ListedPartition {
  readonly partition: number;
  readonly state: string;
  /** The process that runs the partition, or ran it last; null if none has. */
  readonly owner: string | null;
  readonly position: string;
  readonly lag_events: number | null;
  readonly lag_seconds: number | null;
  readonly error: string | null;
}

/**
 * The state of a projection as `/ops/v1/projections` returns it. It combines the partitions: the worst state, the error of this state or
 * else of another partition, the lowest position and the largest lag.
 */
export interface ListedProjection {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  /** The projection has processed all events up to this log position. */
  readonly position: string;
  /**
   * Number of events not yet projected: counted up to 1,000, estimated above or if counting takes too long; null when the event store does
   * not answer.
   */
  readonly lag_events: number | null;
  /** Age in seconds of the newest projected event; null before the first event. */
  readonly lag_seconds: number | null;
  /** Number of parked events. An event is parked when it cannot be projected. */
  readonly parked: number;
  /** The error that blocks the projection; null while it makes progress or is paused. */
  readonly error: string | null;
  /** The number of the previous generation, if it is kept for a rollback; null if none is kept. */
  readonly kept: number | null;
  /** The version of the projection that built the live generation; null for components without tables. */
  readonly version: number | null;
  /**
   * True if an older version of the projection built the live generation. A replay builds a generation of the current
   * version.
   */
  readonly outdated: boolean;
  /** Tables that an upgrade added to the live generation. They lack the rows of earlier events. */
  readonly incomplete_tables: readonly string[];
  /** Tables of the live generation that are damaged, or whose lost rows are being derived again. */
  readonly damaged_tables: readonly string[];
  readonly partitions: readonly ListedPartition[];
}

/** A component that reads the log and stores its own read position but has no tables, such as the liveness monitor or the relay. */
export interface Follower {
  readonly name: string;
  /** Prefixes of the streams that the follower reads. */
  readonly streams: readonly string[];
}

interface ProjectionReaderDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly declarations: readonly ProjectionDeclaration[];
  readonly followers: readonly Follower[];
}

/** States from the worst to the best. */
const stateOrder = ['damaged', 'rebuild-needed', 'failing', 'stopped', 'paused', 'starting', 'waiting', 'running'];

/** Returns the highest value; null if any value is null. */
const highest = (values: readonly (number | null)[]): number | null =>
  values.includes(null) ? null : Math.max(...values.map(Number));

const summarizePartitions = (
  partitions: readonly ListedPartition[],
): Pick<ListedProjection, 'state' | 'position' | 'lag_events' | 'lag_seconds' | 'error'> => {
  const worst = partitions.toSorted((one, other) => stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state))[0];
  return {
    state: worst?.state ?? 'stopped',
    position: lowestPosition(partitions.map(({ position }) => BigInt(position))).toString(),
    lag_events: highest(partitions.map(({ lag_events }) => lag_events)),
    lag_seconds: highest(partitions.map(({ lag_seconds }) => lag_seconds)),
    error: worst?.error ?? partitions.find(({ error }) => error !== null)?.error ?? null,
  };
};

/** Finds the generation that a rollback can return to. One that is due to be dropped, such as a damaged one, does not count. */
const findKept = (generations: readonly GenerationRecord[], name: string): number | null =>
  generations.find(
    ({ projection, state, dropAfter }) =>
      projection === name && state === 'kept' && (dropAfter === null || dropAfter.getTime() > Date.now()),
  )?.generation ?? null;

/**
 * Creates a function that reads the state of the declared projections and of the followers, including those that run in other processes.
 * Omits projections without a live generation, and followers that have never run.
 */
export const createProjectionReader = ({ store, postgres, declarations, followers }: ProjectionReaderDependencies) => {
  const lagOf = createLagMeter(store);
  return async (): Promise<readonly ListedProjection[]> => {
    const [generations, statuses, counts] = await Promise.all([
      readGenerations(postgres),
      readProjectionStatuses(postgres),
      countParkedEvents(postgres),
    ]);
    const live = declarations.flatMap((declaration) => {
      const { name, shard, streams, version } = declaration;
      return generations
        .filter(({ projection, state }) => projection === name && state === 'live')
        .map(({ generation, partitions, paused, version: builtBy, incompleteTables, damage, healing }) => ({
          name,
          shard,
          streams,
          generation,
          paused,
          count: countPartitions(declaration, partitions),
          version: builtBy,
          outdated: builtBy < version,
          incomplete_tables: incompleteTables,
          damaged_tables: damagedTables([...damage, ...healing]),
        }));
    });
    const following = followers
      .filter(({ name }) => statuses.some(({ projection }) => projection === name))
      .map((follower) => ({
        ...follower,
        shard: undefined,
        generation: 1,
        paused: false,
        count: 1,
        version: null,
        outdated: false,
        incomplete_tables: [],
        damaged_tables: [],
      }));
    return Promise.all(
      [...live, ...following].map(async ({ name, shard, streams, generation, paused, count, ...tables }) => {
        const partitions = await Promise.all(
          listPartitions(count, shard).map(async (partition): Promise<ListedPartition> => {
            const status = statuses.find(
              (each) =>
                each.projection === name && each.generation === generation && each.partition === partition.index,
            );
            const { position = 0n, asOfMs = 0, error = null, owner = '' } = status ?? {};
            const key = `${name} ${generation} ${partition.index}`;
            return {
              partition: partition.index,
              state: paused ? 'paused' : status?.isFresh ? status.state : 'stopped',
              owner: owner === '' ? null : owner,
              position: position.toString(),
              lag_events: await lagOf(key, selectStreams(streams, partition), position),
              lag_seconds: asOfMs === 0 ? null : Math.round((Date.now() - asOfMs) / 100) / 10,
              error: paused ? null : error,
            };
          }),
        );
        return {
          name,
          generation,
          ...summarizePartitions(partitions),
          parked: counts.find((of) => of.projection === name && of.generation === generation)?.parked ?? 0,
          kept: findKept(generations, name),
          ...tables,
          partitions,
        };
      }),
    );
  };
};

const maxNameLength = 100;

/** Creates the NOT_FOUND error for an unknown projection. The message lists `declarations`, the existing projections. */
export const projectionNotFound = (
  name: string,
  declarations: readonly Pick<ProjectionDeclaration, 'name'>[],
): ApiError => {
  const names = declarations.map((declaration) => declaration.name).join(', ');
  return new ApiError(
    'NOT_FOUND',
    `There is no projection ${name.slice(0, maxNameLength)} with tables; the projections with tables are ${names}.`,
  );
};
