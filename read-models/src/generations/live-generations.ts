import { type GenerationRecord, withLock, readGenerations, type Postgres } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from './projection-declaration.ts';
import type { Generation } from './live.ts';

/** Any number that no other use of locks in this database has. */
const lock = '7305211894';
const patienceMs = 30_000;

/** Whoever points readers somewhere does so alone: how far each projection is, one view says for all. */
export const withReaderLock = <T>(postgres: Postgres, work: () => Promise<T>): Promise<T> =>
  withLock(postgres, lock, patienceMs, work);

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
