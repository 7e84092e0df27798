import { type GenerationRecord, inTurn, readGenerations, type Records } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from './projection-declaration.ts';
import type { Live } from './live.ts';

/** Any number that no other use of locks in this database has. */
const lock = '7305211894';
const patienceMs = 30_000;

/** Whoever points readers somewhere does so alone: how far each projection is, one view says for all. */
export const pointingAlone = <T>(records: Records, work: () => Promise<T>): Promise<T> =>
  inTurn(records, lock, patienceMs, work);

/** The generations of these projections that stand as asked, as PostgreSQL says; `version`: at most that of this build. */
export const generationsThatAre = async <Declaration extends ProjectionDeclaration>(
  records: Records,
  projections: readonly Declaration[],
  state: GenerationRecord['state'],
  version: 'own' | 'any' = 'any',
): Promise<readonly Live<Declaration>[]> => {
  const known = await readGenerations(records);
  return projections.flatMap((projection) =>
    known
      .filter((record) => record.projection === projection.name && record.state === state)
      // What a newer build writes has columns that this one does not know: its tables and views are left alone.
      .filter((record) => version === 'any' || record.version <= projection.version)
      .map(({ generation, lacks }) => ({ projection, generation, lacks })),
  );
};
