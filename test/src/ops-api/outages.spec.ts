import { livenessStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { type LivenessChange, toLivenessEvent, onlineWindowMs, type LivenessSubject } from '@popsvc/domain/status';
import { expect } from 'chai';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcFor } from '../cli/popsvc.fixture.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';

interface Listed {
  readonly from: string;
  readonly to: string | null;
  readonly outages: readonly Readonly<Record<string, unknown>>[];
  readonly next_after: string | null;
}

/** Two days ago, so that the last week has everything. */
const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 2 * 86_400_000;
const at = (minutes: number) => instantOf(startMs + minutes * 60_000);

const registry = {
  networks: [
    { id: 1, name: 'One', timezone: 'UTC' },
    { id: 2, name: 'Two', timezone: 'UTC' },
  ],
  sites: [
    { id: 10, name: 'Quay', network: 1, timezone: 'UTC' },
    { id: 11, name: 'Lock', network: 1, timezone: 'UTC' },
    { id: 20, name: 'Other', network: 2, timezone: 'UTC' },
  ],
  locations: [
    { id: 100, name: 'Hall', site: 10 },
    { id: 110, name: 'Gate', site: 11 },
    { id: 200, name: 'Other', site: 20 },
  ],
  devices: [
    { id: 4, name: 'Entrance', location: 100, screen_ids: [] },
    { id: 5, name: 'Gate screen', location: 110, screen_ids: [] },
    { id: 6, name: 'Others', location: 200, screen_ids: [] },
    { id: 9, name: 'Silent', location: 100, screen_ids: [] },
    { id: 8, name: 'New', location: 100, screen_ids: [] },
  ],
  feeders: [{ id: 4, name: 'Entrance feed', device: 4 }],
};

describe('GET /ops/v1/outages and /ops/v1/devices/{id}/timeline', function () {
  let system: TestServices;
  let popsvc: Popsvc;

  const append = async (subject: LivenessSubject, changes: readonly LivenessChange[], network = 1) => {
    for (const change of changes) {
      const { type, data } = toLivenessEvent(subject, change);
      await system.append(livenessStream(subject.kind, subject.id), type, data, { network });
    }
  };
  /** Minutes after the start. */
  const outage = (from: number, to?: number): LivenessChange[] => {
    const offlineAtMs = startMs + from * 60_000;
    const offline: LivenessChange = { status: 'offline', offlineAtMs, lastReceivedMs: offlineAtMs - onlineWindowMs };
    return to === undefined
      ? [offline]
      : [offline, { status: 'online', onlineAtMs: startMs + to * 60_000, offlineSinceMs: offlineAtMs }];
  };

  before(async () => {
    system = await startTestServices();
    popsvc = popsvcFor({ baseUrl: system.opsUrl });
    await system.register(registry);
    await append({ kind: 'device', id: 4 }, [...outage(0, 60), ...outage(120, 130), ...outage(600)]);
    await append({ kind: 'feeder', id: 4 }, outage(30, 90));
    await append({ kind: 'device', id: 5 }, outage(0, 60));
    await append({ kind: 'device', id: 6 }, outage(10, 20), 2);
    await system.heartbeat({ deviceId: 4, at: at(20) }, { receivedAt: at(200) });
    await system.heartbeat({ deviceId: 4, at: at(120) }, { receivedAt: at(200) });
    await system.heartbeat({ deviceId: 4, at: at(125) }, { receivedAt: at(200) });
    // The time of the newest heartbeat is in the future, so it does not affect the status.
    await system.heartbeat({ deviceId: 8, at: at(30) }, { receivedAt: at(20) });
    await system.heartbeat({ deviceId: 8, at: at(100) }, { receivedAt: at(100) });
    await system.heartbeat({ deviceId: 8, at: at(40) }, { receivedAt: at(101) });
    await append({ kind: 'device', id: 8 }, outage(105, 110));
    await system.heartbeat({ deviceId: 8, at: at(110) }, { receivedAt: at(110) });
    await append({ kind: 'device', id: 8 }, outage(115));
    await system.project();
  });
  after(() => system.close());

  const request = (query = '', token = operatorToken) =>
    fetch(`${system.opsUrl}/ops/v1/outages${query}`, { headers: { authorization: `Bearer ${token}` } });
  const list = async (query = '') => (await (await request(query)).json()) as Listed;
  const minute = (instant: unknown) => (instant === null ? null : (Date.parse(instant as string) - startMs) / 60_000);
  const short = ({ outages }: Listed) =>
    outages.map(({ kind, id, offline_at, online_at }) => [
      `${String(kind)} ${String(id)}`,
      minute(offline_at),
      minute(online_at),
    ]);
  const device = (id: number, from: number, to: number | null) => [`device ${id}`, from, to];
  const feeder = (id: number, from: number, to: number | null) => [`feeder ${id}`, from, to];
  const window = (from: number, to: number) => `from=${at(from)}&to=${at(to)}`;

  it('lists the outages of the last week, the newest first, shortened by backfilled heartbeats', async () => {
    const all = await list();
    expect(short(all)).to.deep.equal([
      device(4, 600, null),
      device(8, 115, null),
      device(8, 105, 110),
      feeder(4, 30, 90),
      device(4, 25, 60),
      device(6, 10, 20),
      device(5, 0, 60),
      device(4, 0, 20),
    ]);
    expect(Date.parse(all.from)).to.be.closeTo(Date.now() - 7 * 86_400_000, 60_000);
    expect([all.to, all.next_after]).to.deep.equal([null, null]);
    const [ongoing, , , ofFeeder, part] = all.outages;
    expect(ongoing).to.include({
      name: 'Entrance',
      network_id: 1,
      device_id: 4,
      site_id: 10,
      site_name: 'Quay',
      site_timezone: 'UTC',
    });
    expect(ongoing!['seconds']).to.be.closeTo((Date.now() - startMs) / 1_000 - 36_000, 60);
    expect(ongoing!['backfilled']).to.equal(false);
    expect(ofFeeder).to.include({ name: 'Entrance feed', device_id: 4, site_name: 'Quay', seconds: 3_600 });
    expect(part).to.include({ seconds: 2_100, backfilled: true });
  });

  it('lists outages that overlap the window', async () => {
    expect(short(await list(`?device=5&${window(59, 61)}`))).to.deep.equal([device(5, 0, 60)]);
    expect(short(await list(`?device=5&${window(-5, 1)}`))).to.deep.equal([device(5, 0, 60)]);
    expect(short(await list(`?device=5&${window(20, 30)}`))).to.deep.equal([device(5, 0, 60)]);
    expect(short(await list(`?device=5&${window(60, 70)}`)), 'ends at its start').to.deep.equal([]);
    expect(short(await list(`?device=5&${window(-5, 0)}`)), 'begins at its end').to.deep.equal([]);
    expect(short(await list(`?device=4&${window(22, 24)}`)), 'between two parts').to.deep.equal([]);
    expect(short(await list(`?device=4&${window(700, 800)}`)), 'ongoing').to.deep.equal([device(4, 600, null)]);
    expect(short(await list(`?device=4&from=${at(-9)}&to=${at(5)}`))).to.deep.equal([device(4, 0, 20)]);
  });

  it('filters by network, site, device and feeder, and for ongoing outages', async () => {
    expect(short(await list('?network=2'))).to.deep.equal([device(6, 10, 20)]);
    expect(short(await list('?site=11'))).to.deep.equal([device(5, 0, 60)]);
    expect(short(await list(`?site=10&${window(26, 40)}`))).to.deep.equal([feeder(4, 30, 90), device(4, 25, 60)]);
    expect(short(await list('?feeder=4'))).to.deep.equal([feeder(4, 30, 90)]);
    expect(short(await list('?feeder=4&device=5'))).to.deep.equal([feeder(4, 30, 90), device(5, 0, 60)]);
    expect(short(await list('?open=true'))).to.deep.equal([device(4, 600, null), device(8, 115, null)]);
    expect(short(await list('?open=true&device=5'))).to.deep.equal([]);
    expect(short(await list(`?open=true&to=${at(115)}`))).to.deep.equal([]);
  });

  it('rejects unknown ids instead of returning an empty list', async () => {
    for (const what of ['network=7', 'device=7', 'feeder=5', 'site=12', 'open=true&network=7', 'network=1&device=99']) {
      const response = await request(`?${what}`);
      const { error } = (await response.json()) as { error: { code: string; details: { path: string }[] } };
      const path = what.includes('device') ? 'device' : what.replace('open=true&', '').split('=')[0];
      expect([response.status, error.code, error.details[0]?.path], what).to.deep.equal([400, 'INVALID_PARAM', path]);
    }
    expect((await list(`?network=1&${window(-900, -800)}`)).outages, 'no outage of a known network').to.deep.equal([]);
  });

  it('returns pages', async () => {
    const whole = short(await list());
    const listed: unknown[] = [];
    let query = '?limit=1';
    for (let pages = 0; pages < whole.length; pages += 1) {
      const page = await list(query);
      listed.push(...short(page));
      expect(page.outages).to.have.length(1);
      expect(page.next_after === null).to.equal(pages === whole.length - 1);
      query = `?limit=1&after=${page.next_after}`;
    }
    expect(listed).to.deep.equal(whole);
  });

  it('prints outages on the command line, as columns and as JSON', async () => {
    const options = ['--network', '1', '--site', '10', '--from', at(-1), '--to', at(40), '--limit', '2'];
    const { code, stdout, stderr } = await popsvc('outages', 'list', ...options, '--json');
    expect(code, stderr).to.equal(0);
    const same = await list(`?network=1&site=10&${window(-1, 40)}&limit=2`);
    expect(JSON.parse(stdout)).to.deep.equal(same);
    expect(stderr).to.include(`--after ${same.next_after}`);
    const next = await popsvc('outages', 'list', ...options, '--after', same.next_after!, '--json');
    expect(short(JSON.parse(next.stdout) as Listed)).to.deep.equal([device(4, 0, 20)]);
    const people = (await popsvc('outages', 'list', '--device', '4', '--feeder', '4')).stdout;
    expect(people)
      .to.match(/^OFFLINE_AT +ONLINE_AT +DURATION +KIND /)
      .and.to.match(/ open +1 d 14 h +device +4 +Entrance +1 +Quay +-\n/)
      .and.to.match(/ 35 min +device +4 +Entrance +1 +Quay +yes\n/);
    const open = (await popsvc('outages', 'list', '--open')).stdout;
    expect(open.trimEnd().split('\n')).to.have.length(3);
    expect((await popsvc('outages', 'list', '--network', '2', '--device', '5')).stdout).to.match(
      /^There are no such outages since /,
    );
  });

  const timelineOf = async (id: number | string, query: string) => {
    const response = await fetch(`${system.opsUrl}/ops/v1/devices/${id}/timeline${query}`, {
      headers: { authorization: `Bearer ${operatorToken}` },
    });
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
  };
  const spansOf = async (id: number, query: string) => {
    const { body } = await timelineOf(id, query);
    return (body['spans'] as { from: string; to: string; status: string }[]).map(({ from, to, status }) => [
      minute(from),
      minute(to),
      status,
    ]);
  };

  it('returns when a device was online and offline, and when its status is unknown', async () => {
    expect(await spansOf(8, `?${window(-10, 200)}`)).to.deep.equal([
      [-10, 40, 'unknown'],
      [40, 45, 'online'],
      [45, 100, 'unknown'],
      [100, 105, 'online'],
      [105, 110, 'offline'],
      [110, 115, 'online'],
      [115, 200, 'offline'],
    ]);
    expect(await spansOf(9, `?${window(-10, 200)}`), 'never sent a heartbeat').to.deep.equal([[-10, 200, 'unknown']]);
    expect(await spansOf(8, `?${window(101, 104)}`)).to.deep.equal([[101, 104, 'online']]);
  });

  it('returns the last week by default, and unknown for the time that is not projected yet', async () => {
    const { body } = await timelineOf(8, '');
    expect(Date.parse(body['to'] as string)).to.be.closeTo(Date.now(), 60_000);
    expect(Date.parse(body['to'] as string) - Date.parse(body['from'] as string)).to.equal(7 * 86_400_000);
    const spans = await spansOf(8, `?from=${at(120)}&to=${instantOf(Date.now() + 3_600_000)}`);
    expect(spans.map(([, , status]) => status)).to.deep.equal(['offline', 'unknown']);
    expect((spans[0]![1] as number) * 60_000 + startMs).to.be.at.most(Date.now());
  });

  it('rejects a timeline of an unknown device or of an invalid window', async () => {
    expect((await timelineOf(99, '')).status).to.equal(404);
    const statusOf = async (id: number | string, query: string) => (await timelineOf(id, query)).status;
    expect(await statusOf('x', '')).to.equal(400);
    expect(await statusOf(8, `?${window(5, 5)}`)).to.equal(400);
    expect(await statusOf(8, `?${window(0, 31 * 1_440 + 1)}`)).to.equal(400);
    expect(await statusOf(8, '?since=now')).to.equal(400);
  });

  it('rejects invalid parameters', async () => {
    for (const query of [
      '?limit=0',
      '?device=x',
      '?open=yes',
      '?after=7',
      '?since=now',
      `?from=${at(1)}&to=${at(1)}`,
      '?from=2026-08-20',
    ])
      expect((await request(query)).status, query).to.equal(400);
    expect((await request('', 'nonsense')).status).to.equal(401);
    expect((await popsvc('outages', 'list', '--device', 'x')).code).to.equal(2);
    expect((await popsvc('outages', 'list', '--from', 'yesterday')).code).to.equal(2);
  });
});
