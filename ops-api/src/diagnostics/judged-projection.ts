import { failed, type Finding, ok, warning } from './finding.ts';

/** Seconds behind: past the first it shows, past the second something is wrong. */
const [late, lost] = [60, 600];

export interface JudgedStanding {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  readonly error: string | null;
  /** When the newest projected event was appended, ms since 1970; 0 before the first. */
  readonly asOfMs: number;
  readonly isPaused: boolean;
  readonly isOld: boolean;
  /** Tables that are newer than the generation. */
  readonly lacks?: readonly string[];
  /** Events that stand aside; undefined where that is not known. */
  readonly parked: number | undefined;
}

const isRebuilt = /rebuild it/;

/** What is to be said of how a projection stands: the worst alone. */
export const judged = (standing: JudgedStanding): Finding => {
  const { name, generation, state, error, asOfMs, isPaused, isOld, lacks = [], parked = 0 } = standing;
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
      'Start a projectors process; if one runs, look at its PROJECTIONS, and at its log.',
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
  if (lacks.length > 0)
    return warning(
      check,
      `${lacks.join(', ')} newer than generation ${generation}, and readers of that are refused until the next one is built`,
      `It is built by itself, and again after a while if that fails: popsvc projections watch ${name} shows how far it is, popsvc projections replay ${name} begins it at once.`,
    );
  if (isOld)
    return warning(
      check,
      `generation ${generation} was built by an older version of this projection`,
      `popsvc projections replay ${name} builds one as this version makes it, beside the live one.`,
    );
  return ok(check, `${state}, generation ${generation}, ${behind} s behind`);
};
