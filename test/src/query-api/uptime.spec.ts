import { withEnvelope } from '@popsvc/contracts/responses';
import { heartbeats, intervals, progress, registryTables } from '@popsvc/read-models/tables';
import { AppUptime } from '@popsvc/contracts/responses';
import { expect } from 'chai';
import { minute, noon } from './rows.fixture.ts';
import { beatRow, deviceRow, intervalRow, registerPlaces } from './status-rows.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

const place = { network_id: 1, device_id: 1111 };
const at = (minutes: number) => new Date(noon + minutes * minute).toISOString();
const oneTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('uptime', () => {
  let world: World;
  let headers: Readonly<Record<string, string>>;
  let nowMs = 0;
  let pos = 0;
  const beat = (app: string, state: 'running' | 'stopped', minutes: readonly number[], where = place) =>
    world.insert(
      heartbeats,
      minutes.map((each) => beatRow({ ...where, app, state, at: noon + each * minute, pos: (pos += 1) })),
    );
  const push = (app: string, told: { from: number; to?: number; heard?: number; state?: 'stopped' }) =>
    world.insert(intervals, [
      intervalRow({
        ...place,
        app,
        ...(told.state && { state: told.state }),
        started_at: noon + told.from * minute,
        ended_at: told.to === undefined ? null : noon + told.to * minute,
        last_heartbeat_at: told.heard === undefined ? null : noon + told.heard * minute,
        pos: (pos += 1),
      }),
    ]);
  const ask = async (app: string, query = '', device = 1111) => {
    const path = `/api/v1/device-apps/${device}/${encodeURIComponent(app)}/uptime${query}`;
    const answer = await world.get(path, headers);
    const text = await answer.text();
    expect(answer.status, text).equal(200);
    return { answer, data: withEnvelope(AppUptime.strict()).strict().parse(JSON.parse(text)).data };
  };
  const between = (from: number, to: number) => `?from=${at(from)}&to=${at(to)}`;
  const figures = async (app: string, query: string) => {
    const { summary, current_status: current } = (await ask(app, query)).data;
    return [Object.values(summary), [current.status, current.since, current.hb_last_seen_at]];
  };

  before(async () => {
    world = await openWorld({ clock: { now: () => nowMs } });
    await registerPlaces(world);
    headers = bearer((await world.client(2, 1)).token);
  });
  beforeEach(() => void (nowMs = noon + 600 * minute));
  after(() => world.close());

  it('is a record with everything that service.md names', async () => {
    await beat('whole', 'running', [...oneTo(0, 10), ...oneTo(20, 30)]);
    const { answer, data } = await ask('whole', between(0, 30));
    expect(data).deep.equal({
      app: { code: 'whole' },
      device: { id: 1111, name: 'Device 1111' },
      network: { id: 1, name: 'North' },
      site: { id: 11, name: 'Site 11' },
      location: { id: 111, name: 'Location 111' },
      window: { from: at(0), to: at(30), window_seconds: 1_800 },
      summary: { running_seconds: 1_200, stopped_seconds: 600, uptime_pct: 66.67, interval_count: 2 },
      current_status: { status: 'running', since: at(20), hb_last_seen_at: at(30), source: 'heartbeat' },
    });
    expect(answer.headers.get('x-data-as-of')).equal(null);
    const row = { generation: 1, rows: 1, epoch: 1, written_at: noon, pos: 1 };
    await world.insert(progress, [{ ...row, projection: 'uptime', as_of: noon }]);
    expect((await ask('whole')).answer.headers.get('x-data-as-of')).equal(at(0));
  });

  it('counts graceful stops as running', async () => {
    await beat('graceful', 'running', oneTo(0, 9));
    await beat('graceful', 'stopped', oneTo(10, 30));
    expect(await figures('graceful', between(0, 30))).deep.equal([
      [1_800, 0, 100, 2],
      ['stopped', at(10), at(30)],
    ]);
  });

  it('ends with what is known now', async () => {
    await beat('late', 'running', oneTo(0, 5));
    nowMs = noon + 6.5 * minute;
    expect((await ask('late', between(0, 60))).data.window).deep.equal({
      from: at(0),
      to: at(6.5),
      window_seconds: 390,
    });
    expect(await figures('late', between(0, 60))).deep.equal([
      [390, 0, 100, 1],
      ['running', at(0), at(5)],
    ]);
    nowMs = noon + 20 * minute;
    expect((await figures('late', between(0, 60)))[0]).deep.equal([480, 720, 40, 1]);
  });

  it('does not count heartbeats that have not happened yet', async () => {
    await beat('ahead', 'running', [0, 2, 4.5]);
    nowMs = noon + 4 * minute;
    expect(await figures('ahead', between(0, 60))).deep.equal([
      [240, 0, 100, 1],
      ['running', at(0), at(2)],
    ]);
  });

  it('is the union of what was pushed and what heartbeats form', async () => {
    await push('both', { from: 0, to: 12 });
    await beat('both', 'running', oneTo(10, 15));
    await push('both', { from: 40, heard: 41, state: 'stopped' });
    expect(await figures('both', between(0, 60))).deep.equal([
      [19 * 60, 41 * 60, 31.67, 3],
      ['stopped', at(40), at(41)],
    ]);
    expect(await figures('both', between(0, 30))).deep.equal([
      [900, 900, 50, 2],
      ['running', at(10), at(15)],
    ]);
  });

  it('takes an open interval for ended when a newer record is known, however much later', async () => {
    await push('old', { from: 0, heard: 10 });
    expect((await figures('old', between(0, 30)))[0]).deep.equal([780, 1_020, 43.33, 1]);
    await beat('old', 'running', [400]);
    expect((await figures('old', between(0, 30)))[0]).deep.equal([600, 1_200, 33.33, 1]);
    await push('older', { from: 0, heard: 10 });
    await push('older', { from: 500, to: 501 });
    expect((await figures('older', between(0, 30)))[0]).deep.equal([600, 1_200, 33.33, 1]);
  });

  it('lets of an interval the telling stand that supersedes', async () => {
    await push('told', { from: 0, to: 20 });
    await push('told', { from: 0, heard: 25 });
    await push('told', { from: 0, to: 10 });
    expect((await figures('told', between(0, 30)))[0]).deep.equal([600, 1_200, 33.33, 1]);
  });

  it('tells since when and until when, though both lie far outside the window', async () => {
    const [began, ended] = [-10 * 24 * 60, 500];
    await beat('long', 'stopped', [began - 1]);
    await beat(
      'long',
      'running',
      oneTo(0, (ended - began) / 2).map((step) => began + 2 * step),
    );
    expect(await figures('long', between(0, 60))).deep.equal([
      [3_600, 0, 100, 1],
      ['running', at(began), at(ended)],
    ]);
  });

  it('is stopped since the beginning of the window when nothing is known', async () => {
    const none = [
      [0, 1_800, 0, 0],
      ['stopped', at(0), null],
    ];
    await beat('elsewhere', 'running', oneTo(0, 30), { network_id: 1, device_id: 1112 });
    await beat('elsewhere', 'running', oneTo(0, 30), { network_id: 2, device_id: 1111 });
    await beat('', 'running', oneTo(0, 30));
    for (const app of ['nothing', 'elsewhere', ' ', "x' OR '1'='1", 'a/b%2F?#', '\\', '播放器', '\t{p0:String}'])
      expect(await figures(app, between(0, 30)), app).deep.equal(none);
    await beat('a/b%2F?#', 'running', oneTo(0, 30));
    expect((await ask('a/b%2F?#', between(0, 30))).data).deep.include({ app: { code: 'a/b%2F?#' } });
    expect((await figures('a/b%2F?#', between(0, 30)))[0]).deep.equal([1_800, 0, 100, 1]);
  });

  it('of any window costs no more than what is known', async () => {
    await beat('any', 'running', oneTo(0, 10));
    const centuries = '?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z';
    const { summary, window } = (await ask('any', centuries)).data;
    expect(window).include({ from: '0001-01-01T00:00:00.000Z', to: at(600) });
    expect(summary).include({ running_seconds: 780, interval_count: 1 });
    expect((await figures('any', '?from=1960-01-01T00:00:00Z&to=1960-01-02T00:00:00Z'))[0]).deep.equal([
      0, 86_400, 0, 0,
    ]);
  });

  it('of a retired device is still told', async () => {
    await beat('kept', 'running', oneTo(0, 30), { network_id: 1, device_id: 1122 });
    const retired = { device_id: 1122, network_id: 1, location_id: 112, name: 'Gone', retired: 1, version: 2 };
    await world.insert(registryTables.devices, [deviceRow(retired)]);
    expect((await ask('kept', between(0, 30), 1122)).data.summary.running_seconds).equal(1_800);
  });

  it('is told to API keys', async () => {
    const key = await world.apiKey(1);
    const answer = await world.get(`/api/v1/device-apps/1111/player/uptime`, { 'x-api-key': key });
    expect(answer.status).equal(200);
  });
});
