import { type NameInShard, nameInShard, type Shard } from '@popsvc/domain/partitioning';
import type { TableDefinition, ViewDefinition } from '@popsvc/platform/clickhouse';
import type { ProjectionName } from '../declarations/projection-names.ts';
import type { DerivedTable } from '../pending/pending.table.ts';
import {
  type GenerationRecord,
  lockKeys,
  type LostEvents,
  type LostPart,
  type Postgres,
  readGenerations,
  type TableDamage,
  withLock,
} from '@popsvc/platform/postgres';

export const projectionInShard = <Declaration extends ProjectionDeclaration>(
  declaration: Declaration,
  shard: Shard,
): Declaration =>
  shard.of === 1
    ? declaration
    : { ...declaration, name: nameInShard(declaration.name as ProjectionName, shard), shard };

/** The properties of a projection that other packages need. */
export interface ProjectionDeclaration {
  readonly name: NameInShard<ProjectionName>;
  /** The shard whose networks the projection processes; default the only shard. */
  readonly shard?: Shard;
  /**
   * Increase it when the same events produce other rows. Generations of an older version are then outdated until a replay replaces them.
   */
  readonly version: number;
  /**
   * Version in which the facts last changed; default `version`. If only derived rows changed since then, a replay may copy the facts of the
   * live generation.
   */
  readonly factsVersion?: number;
  /** Prefixes of the streams that the projection reads. */
  readonly streams: readonly string[];
  /** Prefixes of the streams that the projection reads at startup to restore its state. */
  readonly stateStreams: readonly string[];
  /** True if several processes can share the projection, each with the networks of one partition. */
  readonly isSplit?: true;
  readonly tables: readonly TableDefinition[];
  /** `tables` also contains the tables of `derived`. */
  readonly derived?: DerivedTable;
  /** Views besides the live view of each table, which is not listed here. */
  readonly views?: readonly ViewDefinition[];
}

/** A separate set of tables for the projection's rows. A replay builds a new generation. */
export interface Generation<Declaration extends ProjectionDeclaration = ProjectionDeclaration> {
  readonly projection: Declaration;
  readonly generation: number;
  /** Version of the projection that built it. */
  readonly version?: number;
  /** Default 1. */
  readonly partitions?: number;
  /** Names of tables that were added to the schema after the generation was built, so they lack the rows of earlier events. */
  readonly incompleteTables?: readonly string[];
  /** Readers refuse damaged tables until a replay has replaced the generation. */
  readonly damage?: readonly TableDamage[];
  /** Events that a repair removed from the log after the generation had their rows. While there are any, no replay begins automatically. */
  readonly lostEvents?: readonly LostEvents[];
  /** Readers refuse the time ranges of lost parts until the rows are derived again. */
  readonly healing?: readonly LostPart[];
}

/** `partitions`: number of partitions of split projections; others have one. */
export const countPartitions = ({ isSplit }: Pick<ProjectionDeclaration, 'isSplit'>, partitions: number): number =>
  isSplit ? partitions : 1;

export const incompleteListMaxAgeMs = 1_000;

/** Time after which readers know a new list of unreadable tables: the maximum age of a cached list, plus the time of the query. */
export const incompleteListWaitMs = incompleteListMaxAgeMs + 200;

/** Returns 7305211894 for the only shard, and 730521189412 for the second of two shards. */
const readerLockOf = ({ index, of }: Shard): string =>
  of === 1 ? lockKeys.readers : `${lockKeys.readers}${index}${of % 10}`;

const lockTimeoutMs = 30_000;

/**
 * Each switch of readers replaces the view with the progress of all projections of the shard. Two switches must therefore not run at the
 * same time.
 */
export const withReaderLock = <T>(postgres: Postgres, shard: Shard, work: () => Promise<T>): Promise<T> =>
  withLock(postgres, readerLockOf(shard), lockTimeoutMs, work);

/** `version: 'own'` omits generations that a newer version of their projection built. */
export const findGenerations = async <Declaration extends ProjectionDeclaration>(
  postgres: Postgres,
  projections: readonly Declaration[],
  state: GenerationRecord['state'],
  version: 'own' | 'any' = 'any',
): Promise<readonly Generation<Declaration>[]> => {
  const known = await readGenerations(postgres);
  return projections.flatMap((projection) =>
    known
      .filter((record) => record.projection === projection.name && record.state === state)
      // This process must not alter tables and views of a newer version, because they may have columns that it does not declare.
      .filter((record) => version === 'any' || record.version <= projection.version)
      .map(({ generation, version: built, partitions, incompleteTables, damage, healing, lostEvents }) => ({
        projection,
        generation,
        version: built,
        partitions: countPartitions(projection, partitions),
        incompleteTables,
        damage,
        healing,
        lostEvents,
      })),
  );
};
