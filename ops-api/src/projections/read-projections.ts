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
  readonly owner: string | null;
  readonly position: string;
  readonly lag_events: number | null;
  readonly lag_seconds: number | null;
  readonly error: string | null;
}

/** Combines the partitions: the worst state, the lowest position and the largest lag. */
export interface ListedProjection {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  readonly position: string;
  /** Counted up to 1,000 and estimated above; null if the event store does not answer. */
  readonly lag_events: number | null;
  /** Age of the newest projected event; null before the first one. */
  readonly lag_seconds: number | null;
  readonly parked: number;
  readonly error: string | null;
  /** The generation that a rollback returns to; null if none is kept. */
  readonly kept: number | null;
  readonly version: number | null;
  readonly outdated: boolean;
  /** Tables newer than the live generation, which lack the rows of earlier events. */
  readonly incomplete_tables: readonly string[];
  readonly damaged_tables: readonly string[];
  readonly partitions: readonly ListedPartition[];
}

/** A component that reads the log but has no tables, such as the relay. */
export interface Follower {
  readonly name: string;
  /** Prefixes of the streams that the component reads. */
  readonly streams: readonly string[];
}

interface ProjectionReaderDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly declarations: readonly ProjectionDeclaration[];
  readonly followers: readonly Follower[];
}

/** From the worst to the best. */
const stateOrder = ['damaged', 'rebuild-needed', 'failing', 'stopped', 'paused', 'starting', 'waiting', 'running'];

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

const findKept = (generations: readonly GenerationRecord[], name: string): number | null =>
  generations.find(
    ({ projection, state, dropAfter }) =>
      projection === name && state === 'kept' && (dropAfter === null || dropAfter.getTime() > Date.now()),
  )?.generation ?? null;

/** Omits projections without a live generation, and followers that have never run. */
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
