import { countParkedEvents, readGenerations, readProjectionStatuses } from '@popsvc/platform/postgres';
import type { DiagnosticsDependencies } from './dependencies.ts';
import { failed, type Finding, ok, warning } from './findings.ts';

/** Lag above which a projection is a warning, and above which it is a failure. */
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
  /** Tables created after the generation was built. */
  readonly incompleteTables?: readonly string[];
  /** Number of parked events; undefined if unknown. */
  readonly parked: number | undefined;
}

const needsRebuild = /rebuild it/;

/** Reports the most severe problem of a projection. */
const judgeProjection = (projection: ProjectionState): Finding => {
  const {
    name,
    generation,
    state,
    error,
    asOfMs,
    isPaused,
    isOutdated,
    incompleteTables = [],
    parked = 0,
  } = projection;
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
  if (incompleteTables.length > 0)
    return warning(
      check,
      `${incompleteTables.join(', ')} newer than generation ${generation}, and readers of that are refused until the next one is built`,
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

/** Checks all projections by their state in PostgreSQL, whichever process runs them. */
export const checkProjections = async ({
  postgres,
  declarations,
}: Pick<DiagnosticsDependencies, 'postgres' | 'declarations'>): Promise<readonly Finding[]> => {
  const [generations, statuses, parked] = await Promise.all([
    readGenerations(postgres),
    readProjectionStatuses(postgres),
    countParkedEvents(postgres),
  ]);
  const live = declarations.map(({ name, version }): ProjectionState => {
    const generation = generations.find((each) => each.projection === name && each.state === 'live');
    const status = statuses.find((each) => each.projection === name && each.generation === generation?.generation);
    return {
      name,
      generation: generation?.generation ?? 0,
      state: status?.isFresh ? status.state : 'stopped',
      error: status?.error ?? null,
      asOfMs: status?.asOfMs ?? 0,
      isPaused: generation?.paused ?? false,
      isOutdated: (generation?.version ?? version) < version,
      incompleteTables: generation?.incompleteTables ?? [],
      parked: parked.find((each) => each.projection === name && each.generation === generation?.generation)?.parked,
    };
  });
  const names = new Set<string>(declarations.map(({ name }) => name));
  const followers = statuses
    .filter(({ projection }) => !names.has(projection))
    .map(({ projection, isFresh, state, ...status }): ProjectionState => ({
      ...status,
      name: projection,
      state: isFresh ? state : 'stopped',
      isPaused: false,
      isOutdated: false,
      parked: undefined,
    }));
  return [...live, ...followers].map(judgeProjection);
};

/** Checks the projections of this process from memory, while PostgreSQL is down. */
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
