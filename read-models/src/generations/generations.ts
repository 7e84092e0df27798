import { type NameInShard, nameInShard, type Shard } from '@popsvc/domain/partitioning';
import type { TableDefinition, ViewDefinition } from '@popsvc/platform/clickhouse';
import type { ProjectionName } from '../declarations/projection-names.ts';
import type { DerivedTable } from '../pending/pending.table.ts';
import {
  type GenerationRecord,
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

/**
 * The properties of a projection that other packages need: its version, streams, tables and views. The projectors package defines
 * how the projection folds events.
 */
export interface ProjectionDeclaration {
  readonly name: NameInShard<ProjectionName>;
  /** The shard whose networks the projection folds; default the only one. */
  readonly shard?: Shard;
  /**
   * Increase the version whenever the same events will produce different rows. Generations of an older version then count as
   * outdated, until a replay replaces them.
   */
  readonly version: number;
  /**
   * The version in which the facts last changed; default `version`. If only the derivation of rows from facts changed since then, a
   * replay copies the facts of the live generation (see `chooseReplaySource`).
   */
  readonly factsVersion?: number;
  /** Prefixes of the streams that the projection reads. */
  readonly streams: readonly string[];
  /** Prefixes of the streams that the projection reads at startup to restore its state. */
  readonly stateStreams: readonly string[];
  /** True if several processes can share the projection, each with the networks of a partition. */
  readonly isSplit?: true;
  readonly tables: readonly TableDefinition[];
  /**
   * The table whose rows are derived from the facts in other tables, with its tables of former rows and of pending ranges. All of them
   * are in `tables`.
   */
  readonly derived?: DerivedTable;
  /** Additional views. The live view of each table is created without being listed here. */
  readonly views?: readonly ViewDefinition[];
}

/** A generation of a projection: a separate set of tables for the projection's rows. A replay builds a new generation. */
export interface Generation<Declaration extends ProjectionDeclaration = ProjectionDeclaration> {
  readonly projection: Declaration;
  readonly generation: number;
  /** Version of the projection that built it. */
  readonly version?: number;
  /** Number of partitions; default 1. */
  readonly partitions?: number;
  /** Names of tables that were added to the schema after the generation was built. They lack the rows of earlier events. */
  readonly incompleteTables?: readonly string[];
  /** Damaged tables. Readers refuse them until a replay has built the next generation. */
  readonly damage?: readonly TableDamage[];
  /** Events that the generation contains and a repair removed from the log. While there are any, no replay begins by itself. */
  readonly lostEvents?: readonly LostEvents[];
  /** Lost parts of the derived table whose rows are derived again. Readers refuse their time ranges until then. */
  readonly healing?: readonly LostPart[];
}

/** Returns the number of partitions of a projection. `partitions`: the number of partitions of split projections. */
export const countPartitions = ({ isSplit }: Pick<ProjectionDeclaration, 'isSplit'>, partitions: number): number =>
  isSplit ? partitions : 1;

/** How long readers may cache the list of incomplete tables and views, in ms. */
export const incompleteListMaxAgeMs = 1_000;

/**
 * Time in ms until all readers use a changed list of incomplete tables: the maximum age of a cached list, plus the time to query
 * the changed list.
 */
export const incompleteListWaitMs = incompleteListMaxAgeMs + 200;

/** Key of the advisory lock of a single shard. No other lock in the database may use it, or the keys of `readerLockOf`. */
const readerLock = 7_305_211_894n;

/** Returns the key of the advisory lock of a shard: 7305211894 for the only one, 730521189412 for the second of two. */
const readerLockOf = ({ index, of }: Shard): string =>
  (of === 1 ? readerLock : readerLock * 100n + BigInt(index * 10 + (of % 10))).toString();

const lockTimeoutMs = 30_000;

/**
 * Runs `work` while holding the lock for switching the readers of a shard to another generation. Two switches in a shard must not run
 * at the same time, even for different projections, because both replace the view that contains the progress of all its projections.
 */
export const withReaderLock = <T>(postgres: Postgres, shard: Shard, work: () => Promise<T>): Promise<T> =>
  withLock(postgres, readerLockOf(shard), lockTimeoutMs, work);

/**
 * Reads the generations in the given state from PostgreSQL. With `version: 'own'`, omits generations whose projection version is
 * newer than the version that this process knows.
 */
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
      // This process must not alter the tables and views of a newer version, because they may have columns that this process does
      // not know.
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
