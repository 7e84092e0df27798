import { countParked, readGenerations, readStandings } from '@popsvc/platform/records';
import { allProjections } from '../../all.ts';
import type { DoctorParts } from './doctor-parts.ts';
import { failed, type Finding, ok, warning } from './finding.ts';

/** Seconds behind: past the first it shows, past the second something is wrong. */
const [late, lost] = [60, 600];

interface Standing {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  readonly error: string | null;
  /** When the newest projected event was appended, ms since 1970; 0 before the first. */
  readonly asOfMs: number;
  readonly isPaused: boolean;
  readonly isOld: boolean;
  /** Events that stand aside; undefined where that is not known. */
  readonly parked: number | undefined;
}

const isRebuilt = /rebuild it/;

const judged = (standing: Standing): Finding => {
  const { name, generation, state, error, asOfMs, isPaused, isOld, parked = 0 } = standing;
  const check = `projection ${name}`;
  const behind = asOfMs === 0 ? 0 : Math.max(0, Math.round((Date.now() - asOfMs) / 1_000));
  if (parked > 0)
    return failed(
      check,
      `${parked} event${parked === 1 ? '' : 's'} of generation ${generation} stand${parked === 1 ? 's' : ''} aside`,
      `Look at them with popsvc events parked list; retry them after the fix, or discard them.`,
    );
  if (isPaused)
    return warning(
      check,
      `paused by an operator, ${behind} s behind`,
      `popsvc projections resume ${name} has it go on.`,
    );
  if (state === 'stopped')
    return failed(
      check,
      'no process works on it',
      'Start a projectors process; if one runs, its log says why it does not take this one.',
    );
  if (state === 'failing')
    return failed(
      check,
      `failing, ${behind} s behind: ${error ?? 'no reason told'}`,
      isRebuilt.test(error ?? '')
        ? `popsvc projections replay ${name} builds it anew.`
        : 'It tries again by itself; mend what the reason names. The log of the projectors says more.',
    );
  if (behind > late)
    return (behind > lost ? failed : warning)(
      check,
      `${behind} s behind`,
      'Look at the load of ClickHouse and of the projectors: reports are this old. Lag that grows for hours wants more CPU.',
    );
  if (isOld)
    return warning(
      check,
      `generation ${generation} was built by an older version of this projection`,
      `popsvc projections replay ${name} builds one as this version makes it, beside the live one.`,
    );
  return ok(check, `${state}, generation ${generation}, ${behind} s behind`);
};

/** How each stands, from PostgreSQL: whichever process works on it. */
export const lookAtProjections = async ({ records }: Pick<DoctorParts, 'records'>): Promise<readonly Finding[]> => {
  const [generations, standings, parked] = await Promise.all([
    readGenerations(records),
    readStandings(records),
    countParked(records),
  ]);
  const live = allProjections.map(({ name, version }): Standing => {
    const generation = generations.find((each) => each.projection === name && each.state === 'live');
    const told = standings.find((each) => each.projection === name && each.generation === generation?.generation);
    return {
      name,
      generation: generation?.generation ?? 0,
      state: told?.fresh ? told.state : 'stopped',
      error: told?.error ?? null,
      asOfMs: told?.asOfMs ?? 0,
      isPaused: generation?.paused ?? false,
      isOld: (generation?.version ?? version) < version,
      parked: parked.find((each) => each.projection === name && each.generation === generation?.generation)?.parked,
    };
  });
  const names = new Set<string>(allProjections.map(({ name }) => name));
  const followers = standings
    .filter(({ projection }) => !names.has(projection))
    .map(({ projection, fresh, state, ...told }): Standing => ({
      ...told,
      name: projection,
      state: fresh ? state : 'stopped',
      isPaused: false,
      isOld: false,
      parked: undefined,
    }));
  return [...live, ...followers].map(judged);
};

/** The same while PostgreSQL is away: what this process knows of its own. */
export const lookAtBoard = ({ board }: Pick<DoctorParts, 'board'>): readonly Finding[] =>
  board.standings
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
