import { instantOf } from '@popsvc/contracts/time';
import {
  summarizeLiveParkedEvents,
  readIntakeMinutes,
  readLagMinutes,
  unfinishedReplays,
} from '@popsvc/platform/postgres';
import { withDeadline } from '@popsvc/platform/runtime';
import type { OpsDependencies } from '../dependencies.ts';
import { type CountsRow, countsQuery } from './counts.ts';
import { buildHistory, summarizeHour, completeHour } from './history.ts';
import { summarizeLag } from './lag.ts';
import type { Overview } from './schema.ts';
import { findProblems } from './problems.ts';

export type OverviewDependencies = Pick<OpsDependencies, 'reader' | 'postgres' | 'readProjections' | 'log'>;

const storeTimeoutMs = 6_000;

const readRecorded = async ({ postgres }: OverviewDependencies, hour: readonly [number, number]) => {
  const [intake, lag, parked, replays] = await Promise.all([
    readIntakeMinutes(postgres, ...hour),
    readLagMinutes(postgres, ...hour),
    summarizeLiveParkedEvents(postgres),
    unfinishedReplays(postgres),
  ]);
  return { intake, lag, parked, replays: replays.length };
};

const readCounts = ({ reader }: OverviewDependencies, nowMs: number) =>
  reader.rows<CountsRow>(countsQuery(nowMs)).then(([found]) => found);

/**
 * Reads the state of the service. It must work during outages: values of a store that does not answer are null, and the store is
 * listed as a problem.
 */
export const readOverview = async (parts: OverviewDependencies, nowMs: number): Promise<Overview> => {
  const hour = completeHour(nowMs);
  const orUndefined = async <T>(what: string, reading: Promise<T>): Promise<T | undefined> =>
    withDeadline(reading, storeTimeoutMs, what).catch((err: unknown) => {
      parts.log.warn({ err }, 'overview is missing data of a store');
      return undefined;
    });
  const [recorded, found, projections] = await Promise.all([
    orUndefined('reading statistics', readRecorded(parts, hour)),
    orUndefined('counting', readCounts(parts, nowMs)),
    orUndefined('reading projections', parts.readProjections()),
  ]);
  const away = [
    ...(recorded ? [] : ['PostgreSQL']),
    ...(found ? [] : ['ClickHouse']),
    ...(recorded && !projections ? ['The event store'] : []),
  ];
  const history = buildHistory({ intake: recorded?.intake, lag: recorded?.lag }, hour);
  const sums = summarizeHour({ intake: recorded?.intake, lag: recorded?.lag }, history);
  const behind = projections && summarizeLag(projections);
  return {
    now: instantOf(nowMs),
    ...sums,
    freshness_seconds: behind?.freshnessSeconds ?? null,
    lag_events: behind?.lagEvents ?? null,
    counts: {
      networks: found?.networks ?? null,
      devices: found?.devices ?? null,
      online: found?.online ?? null,
      offline: found ? found.devices - found.online - found.never_seen : null,
      never_seen: found?.never_seen ?? null,
      open_outages: found?.open_outages ?? null,
      parked: recorded?.parked.events ?? null,
      quarantined: found?.quarantined ?? null,
      running_jobs: found?.running_jobs ?? null,
      failed_jobs: found?.failed_jobs ?? null,
      running_replays: recorded?.replays ?? null,
    },
    history,
    problems: findProblems({
      nowMs,
      away,
      projections,
      parked: recorded?.parked,
      quarantined: found && { ofLate: found.quarantined_of_late, sinceMs: found.quarantined_since_ms },
      jobs: found && { failed: found.failed_jobs, lastMs: found.failed_job_ms },
      history,
      refusedBy: sums.refused_by,
    }),
  };
};
