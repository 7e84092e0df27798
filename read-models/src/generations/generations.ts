import type { TableDefinition, ViewDefinition } from '@popsvc/platform/clickhouse';
import { type GenerationRecord, withLock, readGenerations, type Postgres } from '@popsvc/platform/postgres';

/** The registry comes first: the views of the other projections look names up in its dictionaries. */
export const projectionNames = ['registry', 'coffee', 'watcher-summary', 'uptime', 'status', 'jobs'] as const;
export type ProjectionName = (typeof projectionNames)[number];

/** A projection as far as its tables, its readers and operators depend on it; the projectors add how it folds events. */
export interface ProjectionDeclaration {
  readonly name: ProjectionName;
  /** Increases when the same events produce other rows: generations of an older version are outdated until a replay. */
  readonly version: number;
  /** Prefixes of the streams it reads. */
  readonly reads: readonly string[];
  /** Prefixes of the streams whose events it folds into state when it starts. */
  readonly recalls: readonly string[];
  readonly tables: readonly TableDefinition[];
  /** Views in addition to the one that each table has. */
  readonly views?: readonly ViewDefinition[];
}

/** A generation of a projection, most often the one that readers see. */
export interface Generation<Declaration extends ProjectionDeclaration = ProjectionDeclaration> {
  readonly projection: Declaration;
  readonly generation: number;
  /** Tables that are newer than it: they hold what came since they were made, and nothing from before. */
  readonly incompleteTables?: readonly string[];
}

/** Any number that no other use of locks in this database has. */
const readerLock = '7305211894';
const lockTimeoutMs = 30_000;

/** Whoever points readers somewhere does so alone: how far each projection is, one view says for all. */
export const withReaderLock = <T>(postgres: Postgres, work: () => Promise<T>): Promise<T> =>
  withLock(postgres, readerLock, lockTimeoutMs, work);

/** The generations of these projections that stand as asked, as PostgreSQL says; `version`: at most that of this build. */
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
      // What a newer build writes has columns that this one does not know: its tables and views are left alone.
      .filter((record) => version === 'any' || record.version <= projection.version)
      .map(({ generation, missingTables }) => ({ projection, generation, incompleteTables: missingTables })),
  );
};
