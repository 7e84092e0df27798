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
  readonly streams: readonly string[];
  /** Prefixes of the streams whose events it folds into state when it starts. */
  readonly stateStreams: readonly string[];
  readonly tables: readonly TableDefinition[];
  /** Views in addition to the one that each table has. */
  readonly views?: readonly ViewDefinition[];
}

/** One table set of a projection, usually the live one. */
export interface Generation<Declaration extends ProjectionDeclaration = ProjectionDeclaration> {
  readonly projection: Declaration;
  readonly generation: number;
  /** Tables created after the generation was built: they lack the rows of earlier events. */
  readonly incompleteTables?: readonly string[];
}

/** Advisory lock id; unique among the locks of this database. */
const readerLock = '7305211894';
const lockTimeoutMs = 30_000;

/** Runs `work` under the lock for switching readers. Switches must not overlap: one view holds the progress of all projections. */
export const withReaderLock = <T>(postgres: Postgres, work: () => Promise<T>): Promise<T> =>
  withLock(postgres, readerLock, lockTimeoutMs, work);

/** The generations of these projections in a state, from PostgreSQL. `version: 'own'` leaves out those of newer builds. */
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
      // Tables of a newer build may have columns this build does not know, so it must not alter them or their views.
      .filter((record) => version === 'any' || record.version <= projection.version)
      .map(({ generation, incompleteTables }) => ({ projection, generation, incompleteTables })),
  );
};
