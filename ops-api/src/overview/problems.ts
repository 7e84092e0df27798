import { instantOf } from '@popsvc/contracts/time';
import type { ListedProjection } from '../ops-parts.ts';
import { refusals, silence } from './intake-problems.ts';
import { type Overview, type Problem, SEVERITIES } from './overview.schemas.ts';
import type { Found } from './problem.ts';

/** What is looked at for problems; undefined where a store does not answer. */
export interface Seen {
  readonly nowMs: number;
  /** Stores that do not answer, by name. */
  readonly away: readonly string[];
  readonly projections: readonly ListedProjection[] | undefined;
  readonly parked: { readonly events: number; readonly sinceMs: number } | undefined;
  readonly quarantined: { readonly ofLate: number; readonly sinceMs: number } | undefined;
  readonly jobs: { readonly failed: number; readonly lastMs: number } | undefined;
  readonly history: Overview['history'];
  readonly refusedBy: Overview['refused_by'];
}

const mostLagSeconds = 60;
const plural = (many: number, one: string) => `${many} ${one}${many === 1 ? '' : 's'}`;

const stores = ({ away }: Seen): Found[] =>
  away.map((store) => ({
    severity: 'failed',
    what: `${store} does not answer.`,
    advice: `Start it, or see why it does not answer: popsvc doctor. What was accepted is kept; figures that are missing here come from it.`,
  }));

const ofProjection = (nowMs: number, { name, state, lag_seconds, error }: ListedProjection): Found[] => {
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
        what: `${name} does not get on: ${error ?? 'no reason is known'}`,
        sinceMs,
        advice: 'It tries again by itself. If the reason stays: popsvc doctor.',
      },
    ];
  if (lag_seconds === null || lag_seconds <= mostLagSeconds) return [];
  const what = `${name} is ${Math.round(lag_seconds)} s behind.`;
  return [{ severity: 'warning', what, sinceMs, advice: 'It catches up by itself; if it does not: popsvc doctor.' }];
};

const outdated = ({ projections = [] }: Seen): Found[] =>
  projections
    .filter((standing) => standing.outdated)
    .map(({ name }) => ({
      severity: 'warning',
      what: `${name} was built by an older version of this service.`,
      advice: `It goes on as it was. For what is new: popsvc projections replay ${name}`,
    }));

const parkedEvents = ({ parked }: Seen): Found[] =>
  parked && parked.events > 0
    ? [
        {
          severity: 'warning',
          what: `${plural(parked.events, 'event')} could not be projected and ${parked.events === 1 ? 'is' : 'are'} set aside.`,
          sinceMs: parked.sinceMs,
          advice: 'popsvc events parked list tells why; after a fix: popsvc events parked retry.',
        },
      ]
    : [];

const quarantineGrows = ({ quarantined }: Seen): Found[] =>
  quarantined && quarantined.ofLate > 0
    ? [
        {
          severity: 'warning',
          what: `${plural(quarantined.ofLate, 'event')} of the last hour wait${quarantined.ofLate === 1 ? 's' : ''} in quarantine.`,
          sinceMs: quarantined.sinceMs,
          advice: 'popsvc events quarantine tells what is missing: a mapping, or a screen in the registry.',
        },
      ]
    : [];

const failedJobs = ({ jobs }: Seen): Found[] =>
  jobs && jobs.failed > 0
    ? [
        {
          severity: 'warning',
          what: `${plural(jobs.failed, 'bulk job')} failed in the last 24 hours.`,
          sinceMs: jobs.lastMs,
          advice: 'popsvc jobs list --status failed tells which, popsvc jobs show JOB_ID why.',
        },
      ]
    : [];

/** What should be looked at, the worst first. */
export const problemsOf = (seen: Seen): Problem[] =>
  [
    ...stores(seen),
    ...silence(seen),
    ...(seen.projections ?? []).flatMap((standing) => ofProjection(seen.nowMs, standing)),
    ...outdated(seen),
    ...parkedEvents(seen),
    ...refusals(seen),
    ...failedJobs(seen),
    ...quarantineGrows(seen),
  ]
    .map(({ sinceMs, ...found }) => ({ ...found, since: sinceMs === undefined ? null : instantOf(sinceMs) }))
    .sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));
