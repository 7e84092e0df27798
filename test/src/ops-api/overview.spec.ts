import { type Finding, findingTitle } from '@popsvc/contracts/diagnostics';
import { instantOf } from '@popsvc/contracts/time';
import { onlyShard } from '@popsvc/domain/partitioning';
import { onlineWindowMs } from '@popsvc/domain/status';
import {
  deleteOldMinutes,
  recordIncompleteTables,
  registerProjection,
  writeIntakeMinutes,
  writeLagSample,
  wasLagSampled,
} from '@popsvc/platform/postgres';
import type { ListedProjection } from '@popsvc/ops-api/server';
import { rejectUnreadableTables } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { createBulkJob } from './bulk-job.fixture.ts';
import { startTestOps, runningProjection, type TestOps } from './ops.fixture.ts';

interface Overview extends Readonly<Record<string, unknown>> {
  readonly counts: Readonly<Record<string, unknown>>;
  readonly history: readonly (Readonly<Record<string, unknown>> & { readonly minute: string })[];
  readonly problems: readonly Finding[];
}

const minuteMs = 60_000;

describe('GET /ops/v1/overview', function () {
  let system: TestServices;
  before(async () => {
    system = await startTestServices();
  });
  after(() => system.close());

  const readOverview = async (url = system.opsUrl) => {
    const response = await fetch(`${url}/ops/v1/overview`, { headers: { authorization: `Bearer ${operatorToken}` } });
    expect(response.status).to.equal(200);
    return (await response.json()) as Overview;
  };
  const lineOf = (finding: Finding) => `${finding.outcome}: ${findingTitle(finding)}: ${finding.found}`;
  const problemsOf = ({ problems }: Overview, check: string) => problems.filter((finding) => finding.check === check);

  it('counts devices, outages, jobs and quarantined events', async () => {
    await system.register(smallRegistry);
    await system.register({
      devices: [
        { id: 40, name: 'Silent', location: 3, screen_ids: [] },
        { id: 41, name: 'Never', location: 3, screen_ids: [] },
        { id: 42, name: 'Gone', location: 3, screen_ids: [], retired: true },
      ],
    });
    const [now, before] = [instantOf(Date.now()), instantOf(Date.now() - 3_600_000)];
    await system.heartbeat({ deviceId: 4, at: now }, { receivedAt: now });
    await system.heartbeat({ deviceId: 40, at: before }, { receivedAt: before });
    const offlineAt = instantOf(Date.parse(before) + onlineWindowMs);
    for (const id of [40, 42]) {
      const wentOffline = { deviceId: id, offlineAt, lastReceivedAt: before };
      await system.append(`liveness-device.${id}`, 'DeviceWentOffline', wentOffline);
    }
    await createBulkJob(system, 'waits').queue();
    const failed = createBulkJob(system, 'failed');
    await failed.queue();
    await failed.start(1);
    await failed.fail(1, 'The file is empty.');
    const own = { schemaVersion: 'own-1', items: [{ id: 1 }] };
    await system.append('dynamicPop-1.acme.20260820', 'DynamicPlaysRecorded', own);
    await system.project();
    const overview = await readOverview();
    expect(overview.counts).to.deep.equal({
      networks: 1,
      devices: 3,
      online: 1,
      offline: 1,
      never_seen: 1,
      open_outages: 1,
      parked: 0,
      quarantined: 1,
      running_jobs: 1,
      failed_jobs: 1,
      running_replays: 0,
    });
    expect(overview.problems.map(lineOf)).to.deep.equal([
      'warning: bulk-jobs: 1 failed in the last 24 h',
      'warning: quarantine: 1 event waits, 1 received in the last hour',
    ]);
    for (const { since, advice } of overview.problems) {
      expect(Date.parse(since!)).to.be.closeTo(Date.now(), 10 * minuteMs);
      expect(advice).to.match(/^`popsvc /);
    }
  });

  it('lists an hour by the minute, summed over all processes, with null where no process reported', async () => {
    const empty = await readOverview();
    expect(empty.history).to.have.length(60);
    const lastMs = Date.parse(empty.history[59]!.minute);
    expect(lastMs).to.be.within(Date.now() - 3 * minuteMs, Date.now() - minuteMs);
    const figure = (minute: number, outcome: string, events: number) => ({
      minuteMs: lastMs - minute * minuteMs,
      outcome,
      events,
      requests: 1,
    });
    await writeIntakeMinutes(system.postgres, 'one', [figure(0, 'accepted', 1), figure(0, 'INVALID_EVENT', 100)]);
    await writeIntakeMinutes(system.postgres, 'one', [
      ...[1, 0, -1, -2].map((minute) => figure(minute, 'accepted', minute === 0 ? 300 : 0)),
      figure(0, 'INVALID_EVENT', 60),
      figure(0, 'RATE_LIMITED', 5),
      figure(61, 'accepted', 1e6),
    ]);
    await writeIntakeMinutes(system.postgres, 'two', [
      figure(0, 'accepted', 100),
      figure(1, 'accepted', 7),
      figure(1, 'UNAUTHORIZED', 3),
    ]);
    await writeIntakeMinutes(system.postgres, 'worker', [figure(0, 'bulk_accepted', 20), figure(0, 'bulk_refused', 2)]);
    for (const [lagEvents, freshnessMs] of [
      [3, 9_000],
      [50, 2_000],
      [0, null],
    ] as const)
      await writeLagSample(system.postgres, lastMs, { lagEvents, freshnessMs });
    const overview = await readOverview();
    const at = (minute: number) =>
      overview.history.find((each) => each.minute === instantOf(lastMs - minute * minuteMs));
    expect(at(0)).to.deep.include({ accepted: 420, refused: 67, lag_events: 50, freshness_seconds: 9 });
    expect(at(1)).to.deep.include({ accepted: 7, refused: 3, lag_events: null, freshness_seconds: null });
    expect(at(2)).to.deep.include({ accepted: null, refused: null });
    expect(overview).to.deep.include({
      accepted_last_hour: 427,
      refused_last_hour: 70,
      refused_by: [
        { code: 'INVALID_EVENT', events: 60 },
        { code: 'RATE_LIMITED', events: 5 },
        { code: 'UNAUTHORIZED', events: 3 },
        { code: 'bulk_refused', events: 2 },
      ],
    });
    expect(problemsOf(overview, 'refusals')[0]?.found).to.equal(
      '70 of 497 events of the last 15 minutes were refused; most of the hour: INVALID_EVENT',
    );
  });

  it('keeps statistics for two days, and one lag sample of the first process', async () => {
    const old = Date.now() - 49 * 3_600_000;
    await writeIntakeMinutes(system.postgres, 'old', [{ minuteMs: old, outcome: 'accepted', events: 1, requests: 1 }]);
    await deleteOldMinutes(system.postgres);
    const left = await system.postgres.query(`SELECT count(*)::int AS n FROM intake_minutes WHERE process = 'old'`);
    expect(left.rows).to.deep.equal([{ n: 0 }]);
    await writeLagSample(system.postgres, Math.floor(Date.now() / minuteMs) * minuteMs, {
      lagEvents: 1,
      freshnessMs: 1,
    });
    expect([await wasLagSampled(system.postgres, 600_000), await wasLagSampled(system.postgres, 0)]).to.deep.equal([
      true,
      false,
    ]);
  });

  describe('during outages', () => {
    let bare: TestOps;
    let projections: ListedProjection[] | Error = [];
    const projection = (name: string, state: Partial<ListedProjection>): ListedProjection => ({
      ...runningProjection,
      name,
      ...state,
    });
    const readProjections = () =>
      projections instanceof Error ? Promise.reject(projections) : Promise.resolve(projections);
    before(async () => {
      bare = await startTestOps({ readProjections });
    });
    after(() => bare.close());

    it('responds without the stores that are down, and lists them', async () => {
      const overview = await readOverview(bare.baseUrl);
      expect(overview.counts).to.include({ devices: null, quarantined: null, parked: 0 });
      expect(overview).to.deep.include({ accepted_last_hour: 0, lag_events: null, freshness_seconds: null });
      expect(overview.problems).to.have.length(1);
      expect(lineOf(overview.problems[0]!)).to.match(/^failed: clickhouse: cannot be reached: .*ECONNREFUSED/);
      projections = new Error('no connection');
      expect(problemsOf(await readOverview(bare.baseUrl), 'event-store')).to.have.length(1);
    });

    it('lists the problems of projections, the most severe first', async () => {
      projections = [
        projection('coffee', { lag_seconds: 1, lag_events: 3 }),
        projection('jobs', { lag_seconds: 61, lag_events: 700 }),
        projection('uptime', { state: 'paused', lag_seconds: 7_000 }),
        projection('status', { outdated: true }),
        projection('registry', { state: 'failing', error: 'no disk', lag_seconds: 30 }),
        projection('relay', { state: 'stopped', lag_seconds: null, lag_events: 9_999 }),
      ];
      const before = Date.now();
      const overview = await readOverview(bare.baseUrl);
      expect(overview).to.deep.include({ lag_events: 700, freshness_seconds: 7_000 });
      const lines = overview.problems.map(lineOf);
      expect(lines[0]).to.match(/^failed: clickhouse: /);
      expect(lines.slice(1)).to.deep.equal([
        'failed: projection registry: failing, 30 s behind: no disk',
        'failed: projection relay: no process runs it',
        'warning: projection jobs: 61 s behind',
        'warning: projection uptime: paused by an operator, 7000 s behind',
        'warning: projection status: generation 1 was built by an older version of this projection',
      ]);
      const since = Date.parse(overview.problems[3]!.since!) + 61_000;
      expect(since).to.be.within(before - 1_000, Date.now() + 1_000);
    });

    it('reports that counts are refused until the tables were verified, unless an upgrade is the reason', async () => {
      projections = [projection('coffee', {})];
      const stateReader = { rows: () => Promise.resolve([{ names: [], reasons: [], run: '' }]) };
      const reader = rejectUnreadableTables(stateReader as never, () => undefined);
      const unverified = await startTestOps({
        shards: [{ shard: onlyShard, reader }],
        readProjections,
      });
      const overview = await readOverview(unverified.baseUrl);
      expect(overview.counts).to.include({ devices: null });
      expect(overview.problems.map(lineOf)).to.deep.equal([
        'failed: read-models: the tables were not verified since ClickHouse started; reports are refused',
      ]);
      projections = new Error('no connection');
      expect((await readOverview(unverified.baseUrl)).problems.map(({ check }) => check)).to.have.members([
        'read-models',
        'event-store',
      ]);
      projections = [projection('coffee', { incomplete_tables: ['plays'] })];
      await registerProjection(unverified.postgres, 'coffee', 1);
      await recordIncompleteTables(unverified.postgres, { projection: 'coffee', generation: 1 }, ['plays']);
      expect((await readOverview(unverified.baseUrl)).problems.map(({ check }) => check)).to.deep.equal(['projection']);
      await unverified.close();
    });

    it('reports that no command-api process runs after one did, even if a worker reads files', async () => {
      projections = [];
      const nowMs = Date.now();
      const minute = (ago: number) => Math.floor(nowMs / minuteMs - ago) * minuteMs;
      const figure = (ago: number, outcome: string) => [{ minuteMs: minute(ago), outcome, events: 9, requests: 1 }];
      await writeIntakeMinutes(bare.postgres, 'one', figure(10, 'accepted'));
      await writeIntakeMinutes(bare.postgres, 'worker', figure(3, 'bulk_accepted'));
      const [silent] = problemsOf(await readOverview(bare.baseUrl), 'service');
      expect(silent).to.include({ subject: 'command-api', problem: 'not-reporting' });
      expect(silent?.since).to.equal(instantOf(minute(9)));
    });
  });
});
