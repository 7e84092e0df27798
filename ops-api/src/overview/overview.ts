import { countShardsOf } from '@popsvc/domain/partitioning';
import { type Finding, SEVERITIES } from '@popsvc/contracts/diagnostics';
import { ApiError } from '@popsvc/contracts/errors';
import { instantOf } from '@popsvc/contracts/time';
import type { ShardReader } from '@popsvc/platform/clickhouse';
import {
  type GenerationRecord,
  type Postgres,
  readIntakeMinutes,
  readLagMinutes,
  summarizeLiveParkedEvents,
  readGenerations,
  readUnfinishedReplays,
} from '@popsvc/platform/postgres';
import { jsonResponse, noParameters, type Route } from '@popsvc/http-kit/server';
import { withDeadline } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { judgeBulkJobs } from '../diagnostics/checks/bulk-jobs.ts';
import { reportClickHouseFailure } from '../diagnostics/checks/clickhouse.ts';
import { reportEventStoreFailure } from '../diagnostics/checks/event-store.ts';
import { reportPostgresFailure } from '../diagnostics/checks/postgresql.ts';
import { findProjectionProblems, reportLostEvents, reportParkedEvents } from '../diagnostics/checks/projection.ts';
import { judgeQuarantine } from '../diagnostics/checks/quarantine.ts';
import { findDamagedGenerations, reportDamage, reportUnverified } from '../diagnostics/checks/read-models.ts';
import { judgeRefusals } from '../diagnostics/checks/refusals.ts';
import { judgeIntakeReports } from '../diagnostics/checks/service.ts';
import { addShardToSubject } from '../diagnostics/shards.ts';
import type { FleetWatch } from '../fleet/fleet-watch.ts';
import type { ListedProjection } from '../projections/read-projections.ts';
import { type CountsRow, countsQuery, sumCounts } from './counts.ts';
import { buildHistory, completeHour, summarizeHour } from './history.ts';
import { summarizeLag } from './lag.ts';
import { type Overview, OverviewResponse } from './schema.ts';

export interface OverviewDependencies {
  readonly shards: readonly ShardReader[];
  readonly postgres: Postgres;
  readonly readProjections: () => Promise<readonly ListedProjection[]>;
  readonly fleet: FleetWatch;
  readonly log: Log;
}

const storeTimeoutMs = 6_000;

const readRecorded = async ({ postgres, shards }: OverviewDependencies, hour: readonly [number, number]) => {
  const [intake, lag, parked, replays, generations] = await Promise.all([
    readIntakeMinutes(postgres, ...hour),
    readLagMinutes(postgres, ...hour),
    summarizeLiveParkedEvents(postgres),
    readUnfinishedReplays(postgres),
    readGenerations(postgres),
  ]);
  /** While the number of shards is changed, PostgreSQL also has the projections of the other number. */
  const isOwn = ({ projection }: { readonly projection: string }) => countShardsOf(projection) === shards.length;
  const live = generations.filter((each) => each.state === 'live' && isOwn(each));
  return {
    intake,
    lag,
    parked: parked.filter(isOwn),
    replays: replays.filter(isOwn).length,
    live,
    damaged: findDamagedGenerations(live),
  };
};

const readCounts = async ({ shard, reader }: ShardReader, nowMs: number): Promise<CountsRow> => {
  const [row] = await reader.rows<CountsRow>(countsQuery(shard, nowMs));
  return row!;
};

type Read<Value> =
  { readonly value: Value; readonly error?: undefined } | { readonly value?: undefined; readonly error: unknown };

const listedProblems = (projection: ListedProjection, nowMs: number): readonly Finding[] =>
  findProjectionProblems({
    name: projection.name,
    generation: projection.generation,
    state: projection.state,
    error: projection.error,
    asOfMs: projection.lag_seconds === null ? 0 : nowMs - projection.lag_seconds * 1_000,
    isPaused: projection.state === 'paused',
    isOutdated: projection.outdated,
    incompleteTables: projection.incomplete_tables,
  });

/** A reader refuses damaged, incomplete and unverified tables. Other findings of the overview report damaged and incomplete ones. */
const reportMissingCounts = (error: unknown, live: readonly GenerationRecord[] = []): readonly Finding[] => {
  const isRefused =
    error instanceof ApiError && error.cause === undefined && ['REBUILDING', 'UNAVAILABLE'].includes(error.code);
  if (!isRefused) return [reportClickHouseFailure(error)];
  const isUnverified =
    error.code === 'UNAVAILABLE' && live.every(({ incompleteTables }) => incompleteTables.length === 0);
  return isUnverified ? [reportUnverified()] : [];
};

const reportMissingShards = (
  { shards }: OverviewDependencies,
  counts: readonly Read<CountsRow>[],
  live: readonly GenerationRecord[] | undefined,
): readonly Finding[] =>
  counts.flatMap(({ value, error }, index) => {
    if (value) return [];
    const { shard } = shards[index]!;
    const note = shard.of === 1 ? '' : '; the counts lack its networks';
    return reportMissingCounts(error, live).map((finding) =>
      addShardToSubject({ ...finding, found: `${finding.found}${note}` }, shard),
    );
  });

const severityOf = ({ outcome }: Finding): number => (SEVERITIES as readonly string[]).indexOf(outcome);

const readOverview = async (dependencies: OverviewDependencies, nowMs: number): Promise<Overview> => {
  const hour = completeHour(nowMs);
  const tryToRead = async <Value>(field: string, reading: Promise<Value>): Promise<Read<Value>> => {
    try {
      return { value: await withDeadline(reading, storeTimeoutMs, `reading ${field}`) };
    } catch (error) {
      dependencies.log.warn({ err: error, field }, 'failed to read data for overview');
      return { error };
    }
  };
  const [recordedRead, projectionsRead, fleetRead, ...countsReads] = await Promise.all([
    tryToRead('statistics', readRecorded(dependencies, hour)),
    tryToRead('projections', dependencies.readProjections()),
    tryToRead('fleet', dependencies.fleet.report()),
    ...dependencies.shards.map((shard) => tryToRead('counts', readCounts(shard, nowMs))),
  ]);
  const recorded = recordedRead.value;
  const counts = sumCounts(countsReads.flatMap(({ value }) => value ?? []));
  const projections = projectionsRead.value;
  const history = buildHistory({ intake: recorded?.intake, lag: recorded?.lag }, hour);
  const sums = summarizeHour({ intake: recorded?.intake, lag: recorded?.lag }, history);
  const lag = projections && summarizeLag(projections);
  const findings: readonly Finding[] = [
    ...(recorded ? [] : [reportPostgresFailure(recordedRead.error)]),
    ...reportMissingShards(dependencies, countsReads, recorded?.live),
    ...(recorded?.damaged ?? []).flatMap(reportDamage),
    ...(recorded?.live ?? []).flatMap(reportLostEvents),
    // PostgreSQL has answered, so the event store is the likely cause.
    ...(projections || !recorded ? [] : [reportEventStoreFailure(projectionsRead.error)]),
    judgeIntakeReports({ history }),
    ...(projections ?? []).flatMap((projection) => listedProblems(projection, nowMs)),
    ...(recorded?.parked ?? []).map(reportParkedEvents),
    judgeRefusals({ history, refusedBy: sums.refused_by }),
    ...(counts
      ? [
          judgeBulkJobs({ failed: counts.failed_jobs, lastFailedMs: counts.failed_job_ms }),
          judgeQuarantine({
            waiting: counts.quarantined,
            lastHour: counts.quarantined_last_hour,
            sinceMs: counts.quarantined_since_ms,
          }),
        ]
      : []),
    ...(fleetRead.value ?? []),
  ];
  return {
    now: instantOf(nowMs),
    ...sums,
    freshness_seconds: lag?.freshnessSeconds ?? null,
    lag_events: lag?.lagEvents ?? null,
    counts: {
      networks: counts?.networks ?? null,
      devices: counts?.devices ?? null,
      online: counts?.online ?? null,
      offline: counts ? counts.devices - counts.online - counts.never_seen : null,
      never_seen: counts?.never_seen ?? null,
      open_outages: counts?.open_outages ?? null,
      parked: recorded ? recorded.parked.reduce((sum, { events }) => sum + events, 0) : null,
      quarantined: counts?.quarantined ?? null,
      running_jobs: counts?.running_jobs ?? null,
      failed_jobs: counts?.failed_jobs ?? null,
      running_replays: recorded?.replays ?? null,
    },
    history,
    problems: findings.filter((finding) => severityOf(finding) >= 0).sort((a, b) => severityOf(b) - severityOf(a)),
  };
};

export const overviewRoute = (dependencies: OverviewDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/overview',
  summary: 'The state of the service: intake, lag of the read models, and what needs an operator.',
  description:
    'Responds even when stores are down: their values are null, and `counts` are those of the shards of ClickHouse that respond. Statistics are per minute and kept for 48 hours.',
  operationId: 'getOverview',
  access: 'viewer',
  examples: [{ name: 'ask' }],
  schemas: { query: noParameters, responses: { 200: OverviewResponse } },
  async handle() {
    return jsonResponse(200, await readOverview(dependencies, Date.now()));
  },
});
