import { ApiError } from '@popsvc/contracts/errors';
import { createLagMeter, type EventStore } from '@popsvc/platform/event-store';
import { countParkedEvents, readGenerations, readProjectionStatuses, type Postgres } from '@popsvc/platform/postgres';
import { damagedTables, type ProjectionDeclaration, projectionNames } from '@popsvc/read-models/generations';

/** The state of a projection as `/ops/v1/projections` returns it. */
export interface ListedProjection {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  /** The projection has processed all events up to this log position. */
  readonly position: string;
  /** Number of events not yet projected: exact up to 1,000, estimated above; null when the event store does not answer. */
  readonly lag_events: number | null;
  /** Age in seconds of the newest projected event; null before the first event. */
  readonly lag_seconds: number | null;
  /** Number of parked events. An event is parked when it cannot be projected. */
  readonly parked: number;
  /** The error that blocks the projection; null while it makes progress. */
  readonly error: string | null;
  /** The number of the previous generation, if it is kept for a rollback; null if none is kept. */
  readonly kept: number | null;
  /**
   * True if an older version of the projection built the live generation. A replay builds a generation of the current
   * version.
   */
  readonly outdated: boolean;
  /** Tables that an upgrade added to the live generation. They lack the rows of earlier events. */
  readonly incomplete_tables: readonly string[];
  /** Damaged tables of the live generation, and tables whose lost rows are derived again. */
  readonly damaged_tables: readonly string[];
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

/**
 * Creates a function that reads the state of all projections in the installation, including those that run in other processes.
 */
export const createProjectionReader = ({ store, postgres, declarations, followers }: ProjectionReaderDependencies) => {
  const lagOf = createLagMeter(store);
  return async (): Promise<readonly ListedProjection[]> => {
    const [generations, statuses, counts] = await Promise.all([
      readGenerations(postgres),
      readProjectionStatuses(postgres),
      countParkedEvents(postgres),
    ]);
    const live = declarations.flatMap(({ name, streams, version }) =>
      generations
        .filter(({ projection, state }) => projection === name && state === 'live')
        .map(({ generation, paused, version: builtBy, incompleteTables, damage, healing }) => ({
          name,
          streams,
          generation,
          paused,
          outdated: builtBy < version,
          incomplete_tables: incompleteTables,
          damaged_tables: damagedTables([...damage, ...healing]),
        })),
    );
    const following = followers
      .filter(({ name }) => statuses.some(({ projection }) => projection === name))
      .map((follower) => ({
        ...follower,
        generation: 1,
        paused: false,
        outdated: false,
        incomplete_tables: [],
        damaged_tables: [],
      }));
    return Promise.all(
      [...live, ...following].map(async ({ name, streams, generation, paused, ...tables }) => {
        const status = statuses.find((each) => each.projection === name && each.generation === generation);
        const { position = 0n, asOfMs = 0, error = null } = status ?? {};
        return {
          name,
          generation,
          state: paused ? 'paused' : status?.isFresh ? status.state : 'stopped',
          position: position.toString(),
          lag_events: await lagOf(`${name} ${generation}`, streams, position),
          lag_seconds: asOfMs === 0 ? null : Math.round((Date.now() - asOfMs) / 100) / 10,
          parked: counts.find((of) => of.projection === name && of.generation === generation)?.parked ?? 0,
          error: paused ? null : error,
          kept: generations.find((of) => of.projection === name && of.state === 'kept')?.generation ?? null,
          ...tables,
        };
      }),
    );
  };
};

const maxNameLength = 100;

/** Creates the NOT_FOUND error for an unknown projection. The message lists the existing projections. */
export const projectionNotFound = (name: string): ApiError => {
  const names = projectionNames.join(', ');
  return new ApiError(
    'NOT_FOUND',
    `There is no projection ${name.slice(0, maxNameLength)} with tables; the projections with tables are ${names}.`,
  );
};
