import { countParkedEvents, readGenerations, readProjectionStatuses } from '@popsvc/platform/postgres';
import type { DiagnosticsDependencies } from './dependencies.ts';
import { failed, type Finding, ok, warning } from './findings.ts';

/** Seconds behind: past the first it shows, past the second something is wrong. */
const [warningLagSeconds, failureLagSeconds] = [60, 600];

interface ProjectionState {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  readonly error: string | null;
  /** When the newest projected event was appended, ms since 1970; 0 before the first. */
  readonly asOfMs: number;
  readonly isPaused: boolean;
  readonly isOutdated: boolean;
  /** Tables that are newer than the generation. */
  readonly lacks?: readonly string[];
  /** Events that stand aside; undefined where that is not known. */
  readonly parked: number | undefined;
}

const needsRebuild = /rebuild it/;

/** What is to be said of how a projection stands: the worst alone. */
const judgeProjection = (standing: ProjectionState): Finding => {
  const { name, generation, state, error, asOfMs, isPaused, isOutdated, lacks = [], parked = 0 } = standing;
  const check = `projection ${name}`;
  const behind = asOfMs === 0 ? 0 : Math.max(0, Math.round((Date.now() - asOfMs) / 1_000));
  if (parked > 0)
    return failed(
      check,
      `${parked} event${parked === 1 ? '' : 's'} of generation ${generation} ${parked === 1 ? 'is' : 'are'} parked`,
      `Look at them with popsvc events parked list; retry them after the fix, or discard them.`,
    );
  if (isPaused)
    return warning(check, `paused by an operator, ${behind} s behind`, `popsvc projections resume ${name} resumes it.`);
  if (state === 'stopped')
    return failed(
      check,
      'no process works on it',
      'Start a projectors process; if one runs, look at its PROJECTIONS, and at its log.',
    );
  if (state === 'failing')
    return failed(
      check,
      `failing, ${behind} s behind: ${error ?? 'no error reported'}`,
      needsRebuild.test(error ?? '')
        ? `popsvc projections replay ${name} rebuilds it.`
        : 'It retries automatically; fix what the error names. See the log of the projectors.',
    );
  if (behind > warningLagSeconds)
    return (behind > failureLagSeconds ? failed : warning)(
      check,
      `${behind} s behind`,
      'Look at the load of ClickHouse and of the projectors: reports are this old. Lag that grows for hours wants more CPU.',
    );
  if (lacks.length > 0)
    return warning(
      check,
      `${lacks.join(', ')} newer than generation ${generation}, and readers of that are refused until the next one is built`,
      `It is built by itself, and again after a while if that fails: popsvc projections watch ${name} shows how far it is, popsvc projections replay ${name} begins it at once.`,
    );
  if (isOutdated)
    return warning(
      check,
      `generation ${generation} was built by an older version of this projection`,
      `popsvc projections replay ${name} builds a new generation with this version, alongside the live one.`,
    );
  return ok(check, `${state}, generation ${generation}, ${behind} s behind`);
};

/** How each stands, from PostgreSQL: whichever process works on it. */
export const checkProjections = async ({
  postgres,
  declarations,
}: Pick<DiagnosticsDependencies, 'postgres' | 'declarations'>): Promise<readonly Finding[]> => {
  const [generations, standings, parked] = await Promise.all([
    readGenerations(postgres),
    readProjectionStatuses(postgres),
    countParkedEvents(postgres),
  ]);
  const live = declarations.map(({ name, version }): ProjectionState => {
    const generation = generations.find((each) => each.projection === name && each.state === 'live');
    const told = standings.find((each) => each.projection === name && each.generation === generation?.generation);
    return {
      name,
      generation: generation?.generation ?? 0,
      state: told?.isFresh ? told.state : 'stopped',
      error: told?.error ?? null,
      asOfMs: told?.asOfMs ?? 0,
      isPaused: generation?.paused ?? false,
      isOutdated: (generation?.version ?? version) < version,
      lacks: generation?.missingTables ?? [],
      parked: parked.find((each) => each.projection === name && each.generation === generation?.generation)?.parked,
    };
  });
  const names = new Set<string>(declarations.map(({ name }) => name));
  const followers = standings
    .filter(({ projection }) => !names.has(projection))
    .map(({ projection, isFresh, state, ...told }): ProjectionState => ({
      ...told,
      name: projection,
      state: isFresh ? state : 'stopped',
      isPaused: false,
      isOutdated: false,
      parked: undefined,
    }));
  return [...live, ...followers].map(judgeProjection);
};

/** The same while PostgreSQL is away: what this process knows of its own. */
export const checkRunningProjections = ({
  listRunningProjections,
}: Pick<DiagnosticsDependencies, 'listRunningProjections'>): readonly Finding[] =>
  listRunningProjections()
    .filter(({ state }) => state !== 'waiting')
    .map(({ name, generation, state, error, asOfMs }) =>
      judgeProjection({
        name,
        generation,
        state,
        error: error ?? null,
        asOfMs,
        isPaused: false,
        isOutdated: false,
        parked: undefined,
      }),
    );
