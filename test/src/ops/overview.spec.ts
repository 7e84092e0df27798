import { instantOf } from '@popsvc/contracts/time';
import { onlineWindowMs } from '@popsvc/domain/status';
import { deleteOldMinutes, writeIntakeMinutes, writeLagSample, wasLagSampled } from '@popsvc/platform/postgres';
import type { ListedProjection } from '@popsvc/ops-api/server';
import { expect } from 'chai';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { bulkJob } from './bulk-job.fixture.ts';
import { ops, standing, type TestOps } from './ops.fixture.ts';

interface Overview extends Readonly<Record<string, unknown>> {
  readonly counts: Readonly<Record<string, unknown>>;
  readonly history: readonly (Readonly<Record<string, unknown>> & { readonly minute: string })[];
  readonly problems: readonly { severity: string; what: string; since: string | null; advice: string }[];
}

const minuteMs = 60_000;

describe('the overview of operators', function () {
  this.timeout(60_000);
  let system: TestServices;
  before(async () => {
    system = await startTestServices();
  });
  after(() => system.close());

  const ask = async (url = system.opsUrl) => {
    const answer = await fetch(`${url}/ops/v1/overview`, { headers: { authorization: `Bearer ${operatorToken}` } });
    expect(answer.status).to.equal(200);
    return (await answer.json()) as Overview;
  };
  const problemsLike = ({ problems }: Overview, what: RegExp) => problems.filter((problem) => what.test(problem.what));

  it('counts devices, outages, jobs and what waits', async () => {
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
    await bulkJob(system, 'waits').queue();
    const failed = bulkJob(system, 'failed');
    await failed.queue();
    await failed.start(1);
    await failed.fail(1, 'The file is empty.');
    const own = { schemaVersion: 'own-1', event: { id: 1 } };
    await system.append('dynamicPop-1.acme.20260820', 'DynamicPopRecorded', own);
    await system.project();
    const told = await ask();
    expect(told.counts).to.deep.equal({
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
    expect(told.problems.map(({ severity, what }) => [severity, what])).to.deep.equal([
      ['warning', '1 bulk job failed in the last 24 hours.'],
      ['warning', '1 event of the last hour waits in quarantine.'],
    ]);
    for (const { since, advice } of told.problems) {
      expect(Date.parse(since!)).to.be.closeTo(Date.now(), minuteMs);
      expect(advice).to.match(/^popsvc /);
    }
  });

  it('tells an hour by the minute, of all processes together, and null where nobody told', async () => {
    const empty = await ask();
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
    const told = await ask();
    const at = (minute: number) => told.history.find((each) => each.minute === instantOf(lastMs - minute * minuteMs));
    expect(at(0)).to.deep.include({ accepted: 420, refused: 67, lag_events: 50, freshness_seconds: 9 });
    expect(at(1)).to.deep.include({ accepted: 7, refused: 3, lag_events: null, freshness_seconds: null });
    expect(at(2)).to.deep.include({ accepted: null, refused: null });
    expect(told).to.deep.include({
      accepted_last_hour: 427,
      refused_last_hour: 70,
      refused_by: [
        { code: 'INVALID_EVENT', events: 60 },
        { code: 'RATE_LIMITED', events: 5 },
        { code: 'UNAUTHORIZED', events: 3 },
        { code: 'bulk_refused', events: 2 },
      ],
    });
    expect(problemsLike(told, /refused/)[0]?.what).to.equal(
      '70 of 497 events of the last 15 minutes were refused. Most of the hour: INVALID_EVENT.',
    );
  });

  it('keeps figures for two days, and one sample of the lag from whoever is first', async () => {
    const old = Date.now() - 49 * 3_600_000;
    await writeIntakeMinutes(system.postgres, 'old', [{ minuteMs: old, outcome: 'accepted', events: 1, requests: 1 }]);
    await deleteOldMinutes(system.postgres);
    const left = await system.postgres.query(`SELECT count(*)::int AS n FROM intake_minutes WHERE process = 'old'`);
    expect(left.rows).to.deep.equal([{ n: 0 }]);
    await writeLagSample(system.postgres, Math.floor(Date.now() / minuteMs) * minuteMs, {
      lagEvents: 1,
      freshnessMs: 1,
    });
    expect([await wasLagSampled(system.postgres, 8_000), await wasLagSampled(system.postgres, 0)]).to.deep.equal([
      true,
      false,
    ]);
  });

  describe('while things are broken', () => {
    let bare: TestOps;
    let standings: ListedProjection[] | Error = [];
    const like = (name: string, told: Partial<ListedProjection>): ListedProjection => ({
      ...standing,
      name,
      ...told,
    });
    before(async () => {
      const readProjections = () =>
        standings instanceof Error ? Promise.reject(standings) : Promise.resolve(standings);
      bare = await ops({ readProjections });
    });
    after(() => bare.close());

    it('answers without the stores that do not, and says which', async () => {
      const told = await ask(bare.baseUrl);
      expect(told.counts).to.include({ devices: null, quarantined: null, parked: 0 });
      expect(told).to.deep.include({ accepted_last_hour: 0, lag_events: null, freshness_seconds: null });
      expect(told.problems.map(({ severity, what }) => [severity, what])).to.deep.equal([
        ['failed', 'ClickHouse does not answer.'],
      ]);
      standings = new Error('away');
      expect(problemsLike(await ask(bare.baseUrl), /event store/)).to.have.length(1);
    });

    it('tells what is wrong with projections, the worst first', async () => {
      standings = [
        like('coffee', { lag_seconds: 1, lag_events: 3 }),
        like('jobs', { lag_seconds: 61, lag_events: 700 }),
        like('uptime', { state: 'paused', lag_seconds: 7_000 }),
        like('status', { outdated: true }),
        like('registry', { state: 'failing', error: 'no disk', lag_seconds: 30 }),
        like('relay', { state: 'stopped', lag_seconds: null, lag_events: 9_999 }),
      ];
      const told = await ask(bare.baseUrl);
      expect(told).to.deep.include({ lag_events: 700, freshness_seconds: 7_000 });
      expect(told.problems.map(({ severity, what }) => `${severity}: ${what}`)).to.deep.equal([
        'failed: ClickHouse does not answer.',
        'failed: registry does not get on: no disk',
        'failed: No process works on relay.',
        'warning: jobs is 61 s behind.',
        'warning: uptime is paused.',
        'warning: status was built by an older version of this service.',
      ]);
      expect(Date.parse(told.problems[3]!.since!)).to.be.closeTo(Date.now() - 61_000, 5_000);
    });

    it('says that nobody takes events in any more, who did, whatever files are read in', async () => {
      standings = [];
      const minute = (ago: number) => Math.floor(Date.now() / minuteMs - ago) * minuteMs;
      const figure = (ago: number, outcome: string) => [{ minuteMs: minute(ago), outcome, events: 9, requests: 1 }];
      await writeIntakeMinutes(bare.postgres, 'one', figure(10, 'accepted'));
      await writeIntakeMinutes(bare.postgres, 'worker', figure(3, 'bulk_accepted'));
      const [silence] = problemsLike(await ask(bare.baseUrl), /No command-api process is running/);
      expect(silence?.since).to.equal(instantOf(minute(9)));
    });
  });
});
