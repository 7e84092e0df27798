import { instantOf } from '@popsvc/contracts/time';
import type { ListedProjection } from '../dependencies.ts';
import { type Overview, type Problem, SEVERITIES } from './schema.ts';

/** A problem before serialization; `sinceMs` is absent when unknown. */
type DetectedProblem = Omit<Problem, 'since'> & { readonly sinceMs?: number | undefined };

interface RecentIntake {
  readonly history: Overview['history'];
  readonly refusedBy: Overview['refused_by'];
}

/** Rejections are a problem above this count and share of the events of the last 15 minutes. */
const [manyRefused, refusedShare, recentMinutes] = [50, 0.05, 15];

/** Reports an unusual share of rejected events. */
const rejectionProblems = ({ history, refusedBy }: RecentIntake): DetectedProblem[] => {
  const recent = history.slice(-recentMinutes);
  const sum = (field: 'accepted' | 'refused') => recent.reduce((all, minute) => all + (minute[field] ?? 0), 0);
  const [accepted, refused] = [sum('accepted'), sum('refused')];
  if (refused < manyRefused || refused < refusedShare * (accepted + refused)) return [];
  const first = recent.find((minute) => (minute.refused ?? 0) > 0);
  const most = refusedBy[0] ? ` Most of the hour: ${refusedBy[0].code}.` : '';
  return [
    {
      severity: 'warning',
      what: `${refused} of ${accepted + refused} events of the last ${recentMinutes} minutes were refused.${most}`,
      sinceMs: first && Date.parse(first.minute),
      advice:
        refusedBy[0]?.code === 'bulk_refused'
          ? 'Rejected rows of bulk files: popsvc jobs list shows the jobs, popsvc jobs errors JOB_ID their rows.'
          : 'The log of command-api names request, key and reason; the response named them to the vendor.',
    },
  ];
};

/** Reports that no command-api process writes intake statistics although one did within the hour. */
const silentIntakeProblems = ({ history }: Pick<RecentIntake, 'history'>): DetectedProblem[] => {
  const last = history.findLastIndex(({ accepted }) => accepted !== null);
  if (last < 0 || last >= history.length - 2) return [];
  return [
    {
      severity: 'failed',
      what: 'No command-api process is running.',
      sinceMs: Date.parse(history[last + 1]!.minute),
      advice: 'Start command-api, or see whether it reaches PostgreSQL.',
    },
  ];
};

/** The inputs of problem detection; undefined where a store does not answer. */
interface ServiceObservations {
  readonly nowMs: number;
  /** Names of the stores that do not answer. */
  readonly away: readonly string[];
  readonly projections: readonly ListedProjection[] | undefined;
  readonly parked: { readonly events: number; readonly sinceMs: number } | undefined;
  readonly quarantined: { readonly ofLate: number; readonly sinceMs: number } | undefined;
  readonly jobs: { readonly failed: number; readonly lastMs: number } | undefined;
  readonly history: Overview['history'];
  readonly refusedBy: Overview['refused_by'];
}

const maxLagSeconds = 60;
const plural = (many: number, one: string) => `${many} ${one}${many === 1 ? '' : 's'}`;

const storeProblems = ({ away }: ServiceObservations): DetectedProblem[] =>
  away.map((store) => ({
    severity: 'failed',
    what: `${store} does not answer.`,
    advice: `Start it, or see why it does not answer: popsvc doctor. What was accepted is kept; figures that are missing here come from it.`,
  }));

const projectionProblems = (
  nowMs: number,
  { name, state, lag_seconds, error }: ListedProjection,
): DetectedProblem[] => {
  const sinceMs = lag_seconds === null ? undefined : nowMs - lag_seconds * 1_000;
  if (state === 'paused')
    return [{ severity: 'warning', what: `${name} is paused.`, sinceMs, advice: `popsvc projections resume ${name}` }];
  if (state === 'stopped')
    return [
      { severity: 'failed', what: `No process works on ${name}.`, sinceMs, advice: 'Start a projectors process.' },
    ];
  if (state === 'failing')
    return [
      {
        severity: 'failed',
        what: `${name} does not get on: ${error ?? 'no error reported'}`,
        sinceMs,
        advice: 'It retries automatically. If the error persists: popsvc doctor.',
      },
    ];
  if (lag_seconds === null || lag_seconds <= maxLagSeconds) return [];
  const what = `${name} is ${Math.round(lag_seconds)} s behind.`;
  return [
    { severity: 'warning', what, sinceMs, advice: 'It should catch up by itself; if it does not: popsvc doctor.' },
  ];
};

const outdatedProblems = ({ projections = [] }: ServiceObservations): DetectedProblem[] =>
  projections
    .filter((projection) => projection.outdated)
    .map(({ name }) => ({
      severity: 'warning',
      what: `${name} was built by an older version of this service.`,
      advice: `It goes on as it was. For what is new: popsvc projections replay ${name}`,
    }));

const parkedEventProblems = ({ parked }: ServiceObservations): DetectedProblem[] =>
  parked && parked.events > 0
    ? [
        {
          severity: 'warning',
          what: `${plural(parked.events, 'event')} could not be projected and ${parked.events === 1 ? 'is' : 'are'} parked.`,
          sinceMs: parked.sinceMs,
          advice: 'popsvc events parked list shows why; after a fix: popsvc events parked retry.',
        },
      ]
    : [];

const quarantineProblems = ({ quarantined }: ServiceObservations): DetectedProblem[] =>
  quarantined && quarantined.ofLate > 0
    ? [
        {
          severity: 'warning',
          what: `${plural(quarantined.ofLate, 'event')} of the last hour wait${quarantined.ofLate === 1 ? 's' : ''} in quarantine.`,
          sinceMs: quarantined.sinceMs,
          advice: 'popsvc events quarantine shows what is missing: a mapping, or a screen in the registry.',
        },
      ]
    : [];

const failedJobProblems = ({ jobs }: ServiceObservations): DetectedProblem[] =>
  jobs && jobs.failed > 0
    ? [
        {
          severity: 'warning',
          what: `${plural(jobs.failed, 'bulk job')} failed in the last 24 hours.`,
          sinceMs: jobs.lastMs,
          advice: 'popsvc jobs list --status failed lists them, popsvc jobs show JOB_ID shows why.',
        },
      ]
    : [];

/** Lists problems for an operator, the most severe first. */
export const findProblems = (seen: ServiceObservations): Problem[] =>
  [
    ...storeProblems(seen),
    ...silentIntakeProblems(seen),
    ...(seen.projections ?? []).flatMap((projection) => projectionProblems(seen.nowMs, projection)),
    ...outdatedProblems(seen),
    ...parkedEventProblems(seen),
    ...rejectionProblems(seen),
    ...failedJobProblems(seen),
    ...quarantineProblems(seen),
  ]
    .map(({ sinceMs, ...found }) => ({ ...found, since: sinceMs === undefined ? null : instantOf(sinceMs) }))
    .sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));
