import { countParkedEvents, readGenerations, readProjectionStatuses } from '@popsvc/platform/postgres';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import type { Finding } from './finding.ts';
import { judged, type JudgedStanding } from './judged-projection.ts';

/** How each stands, from PostgreSQL: whichever process works on it. */
export const lookAtProjections = async ({
  postgres,
  declarations,
}: Pick<DiagnosticsDependencies, 'postgres' | 'declarations'>): Promise<readonly Finding[]> => {
  const [generations, standings, parked] = await Promise.all([
    readGenerations(postgres),
    readProjectionStatuses(postgres),
    countParkedEvents(postgres),
  ]);
  const live = declarations.map(({ name, version }): JudgedStanding => {
    const generation = generations.find((each) => each.projection === name && each.state === 'live');
    const told = standings.find((each) => each.projection === name && each.generation === generation?.generation);
    return {
      name,
      generation: generation?.generation ?? 0,
      state: told?.isFresh ? told.state : 'stopped',
      error: told?.error ?? null,
      asOfMs: told?.asOfMs ?? 0,
      isPaused: generation?.paused ?? false,
      isOld: (generation?.version ?? version) < version,
      lacks: generation?.missingTables ?? [],
      parked: parked.find((each) => each.projection === name && each.generation === generation?.generation)?.parked,
    };
  });
  const names = new Set<string>(declarations.map(({ name }) => name));
  const followers = standings
    .filter(({ projection }) => !names.has(projection))
    .map(({ projection, isFresh, state, ...told }): JudgedStanding => ({
      ...told,
      name: projection,
      state: isFresh ? state : 'stopped',
      isPaused: false,
      isOld: false,
      parked: undefined,
    }));
  return [...live, ...followers].map(judged);
};

/** The same while PostgreSQL is away: what this process knows of its own. */
export const lookAtBoard = ({
  listRunningProjections,
}: Pick<DiagnosticsDependencies, 'listRunningProjections'>): readonly Finding[] =>
  listRunningProjections()
    .filter(({ state }) => state !== 'waiting')
    .map(({ name, generation, state, error, asOfMs }) =>
      judged({
        name,
        generation,
        state,
        error: error ?? null,
        asOfMs,
        isPaused: false,
        isOld: false,
        parked: undefined,
      }),
    );
