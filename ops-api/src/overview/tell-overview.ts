import { instantOf } from '@popsvc/contracts/time';
import {
  summarizeLiveParkedEvents,
  readIntakeMinutes,
  readLagMinutes,
  unfinishedReplays,
} from '@popsvc/platform/postgres';
import { withDeadline } from '@popsvc/platform/runtime';
import type { OpsDependencies } from '../ops-parts.ts';
import { type CountsFound, countsQuery } from './counts.query.ts';
import { historyOf, sumsOf, toldHour } from './history.ts';
import { lagOf } from './lag-of.ts';
import type { Overview } from './overview.schemas.ts';
import { problemsOf } from './problems.ts';

export type OverviewParts = Pick<OpsDependencies, 'reader' | 'postgres' | 'readProjections' | 'log'>;

const patienceMs = 6_000;

const recorded = async ({ postgres }: OverviewParts, hour: readonly [number, number]) => {
  const [intake, lag, parked, replays] = await Promise.all([
    readIntakeMinutes(postgres, ...hour),
    readLagMinutes(postgres, ...hour),
    summarizeLiveParkedEvents(postgres),
    unfinishedReplays(postgres),
  ]);
  return { intake, lag, parked, replays: replays.length };
};

const counted = ({ reader }: OverviewParts, nowMs: number) =>
  reader.rows<CountsFound>(countsQuery(nowMs)).then(([found]) => found);

/**
 * How the service is. Operators look here when something is broken, so what a store knows that does not answer is null, and the
 * store is among the problems.
 */
export const tellOverview = async (parts: OverviewParts, nowMs: number): Promise<Overview> => {
  const hour = toldHour(nowMs);
  const unlessAway = async <T>(what: string, asked: Promise<T>): Promise<T | undefined> =>
    withDeadline(asked, patienceMs, what).catch((err: unknown) => {
      parts.log.warn({ err }, 'the overview goes without a store');
      return undefined;
    });
  const [told, found, projections] = await Promise.all([
    unlessAway('reading figures', recorded(parts, hour)),
    unlessAway('counting', counted(parts, nowMs)),
    unlessAway('asking how projections stand', parts.readProjections()),
  ]);
  const away = [
    ...(told ? [] : ['PostgreSQL']),
    ...(found ? [] : ['ClickHouse']),
    ...(told && !projections ? ['The event store'] : []),
  ];
  const history = historyOf({ intake: told?.intake, lag: told?.lag }, hour);
  const sums = sumsOf({ intake: told?.intake, lag: told?.lag }, history);
  const behind = projections && lagOf(projections);
  return {
    now: instantOf(nowMs),
    ...sums,
    freshness_seconds: behind?.freshnessSeconds ?? null,
    lag_events: behind?.lagEvents ?? null,
    counts: {
      networks: found?.networks ?? null,
      devices: found?.devices ?? null,
      online: found?.online ?? null,
      offline: found ? found.devices - found.online - found.never_heard : null,
      never_heard: found?.never_heard ?? null,
      open_outages: found?.open_outages ?? null,
      parked: told?.parked.events ?? null,
      quarantined: found?.quarantined ?? null,
      running_jobs: found?.running_jobs ?? null,
      failed_jobs: found?.failed_jobs ?? null,
      running_replays: told?.replays ?? null,
    },
    history,
    problems: problemsOf({
      nowMs,
      away,
      projections,
      parked: told?.parked,
      quarantined: found && { ofLate: found.quarantined_of_late, sinceMs: found.quarantined_since_ms },
      jobs: found && { failed: found.failed_jobs, lastMs: found.failed_job_ms },
      history,
      refusedBy: sums.refused_by,
    }),
  };
};
