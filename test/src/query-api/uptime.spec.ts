import { AppUptime, withEnvelope } from '@popsvc/contracts/responses';
import { heartbeats, intervals, registryTables } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { minute, noon } from './rows.fixture.ts';
import { heartbeatRow, deviceRow, intervalRow, registerPlaces } from './status-rows.fixture.ts';
import { bearer, progress, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const place = { network_id: 1, device_id: 1111 };
const at = (minutes: number) => new Date(noon + minutes * minute).toISOString();
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('uptime', () => {
  let api: TestQueryApi;
  let headers: Readonly<Record<string, string>>;
  let nowMs = 0;
  let pos = 0;
  const insertHeartbeats = (app: string, state: 'running' | 'stopped', minutes: readonly number[], where = place) =>
    api.insert(
      heartbeats,
      minutes.map((each) => heartbeatRow({ ...where, app, state, at: noon + each * minute, pos: (pos += 1) })),
    );
  const insertInterval = (
    app: string,
    interval: { from: number; to?: number; lastHeartbeat?: number; state?: 'stopped' },
  ) =>
    api.insert(intervals, [
      intervalRow({
        ...place,
        app,
        ...(interval.state && { state: interval.state }),
        started_at: noon + interval.from * minute,
        ended_at: interval.to === undefined ? null : noon + interval.to * minute,
        last_heartbeat_at: interval.lastHeartbeat === undefined ? null : noon + interval.lastHeartbeat * minute,
        pos: (pos += 1),
      }),
    ]);
  const request = async (app: string, query = '', device = 1111) => {
    const path = `/api/v1/device-apps/${device}/${encodeURIComponent(app)}/uptime${query}`;
    const answer = await api.get(path, headers);
    const text = await answer.text();
    expect(answer.status, text).equal(200);
    const { data, message } = withEnvelope(AppUptime.strict()).strict().parse(JSON.parse(text));
    return { answer, data, message };
  };
  const between = (from: number, to: number) => `?from=${at(from)}&to=${at(to)}`;
  const summaryOf = async (app: string, query: string) => {
    const { summary, current_status: current } = (await request(app, query)).data;
    return [Object.values(summary), [current.status, current.since, current.hb_last_seen_at]];
  };

  before(async () => {
    api = await startTestQueryApi({ clock: { now: () => nowMs } });
    await registerPlaces(api);
    headers = bearer((await api.client(2, 1)).token);
  });
  beforeEach(() => void (nowMs = noon + 600 * minute));
  after(() => api.close());

  it('has every field of the contract', async () => {
    await insertHeartbeats('whole', 'running', [...range(0, 10), ...range(20, 30)]);
    const { answer, data } = await request('whole', between(0, 30));
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
    const row = { generation: 1, pos: 1 };
    await api.insert(progress, [{ ...row, projection: 'uptime', as_of: noon }]);
    await waitUntil(
      async () => (await request('whole')).answer.headers.get('x-data-as-of'),
      (asOf) => asOf === at(0),
    );
  });

  it('counts graceful stops as running', async () => {
    await insertHeartbeats('graceful', 'running', range(0, 9));
    await insertHeartbeats('graceful', 'stopped', range(10, 30));
    expect(await summaryOf('graceful', between(0, 30))).deep.equal([
      [1_800, 0, 100, 2],
      ['stopped', at(10), at(30)],
    ]);
  });

  it('ends the window at the current time', async () => {
    await insertHeartbeats('late', 'running', range(0, 5));
    nowMs = noon + 6.5 * minute;
    expect((await request('late', between(0, 60))).data.window).deep.equal({
      from: at(0),
      to: at(6.5),
      window_seconds: 390,
    });
    expect(await summaryOf('late', between(0, 60))).deep.equal([
      [390, 0, 100, 1],
      ['running', at(0), at(5)],
    ]);
    nowMs = noon + 20 * minute;
    expect((await summaryOf('late', between(0, 60)))[0]).deep.equal([480, 720, 40, 1]);
  });

  it('does not count heartbeats that have not happened yet', async () => {
    await insertHeartbeats('ahead', 'running', [0, 2, 4.5]);
    nowMs = noon + 4 * minute;
    expect(await summaryOf('ahead', between(0, 60))).deep.equal([
      [240, 0, 100, 1],
      ['running', at(0), at(2)],
    ]);
  });

  it('is the union of pushed intervals and intervals of heartbeats', async () => {
    await insertInterval('both', { from: 0, to: 12 });
    await insertHeartbeats('both', 'running', range(10, 15));
    await insertInterval('both', { from: 40, lastHeartbeat: 41, state: 'stopped' });
    expect(await summaryOf('both', between(0, 60))).deep.equal([
      [19 * 60, 41 * 60, 31.67, 3],
      ['stopped', at(40), at(41)],
    ]);
    expect(await summaryOf('both', between(0, 30))).deep.equal([
      [900, 900, 50, 2],
      ['running', at(10), at(15)],
    ]);
  });

  it('ends an open interval at its last heartbeat once a newer record exists', async () => {
    await insertInterval('old', { from: 0, lastHeartbeat: 10 });
    expect((await summaryOf('old', between(0, 30)))[0]).deep.equal([780, 1_020, 43.33, 1]);
    await insertHeartbeats('old', 'running', [400]);
    expect((await summaryOf('old', between(0, 30)))[0]).deep.equal([600, 1_200, 33.33, 1]);
    await insertInterval('older', { from: 0, lastHeartbeat: 10 });
    await insertInterval('older', { from: 500, to: 501 });
    expect((await summaryOf('older', between(0, 30)))[0]).deep.equal([600, 1_200, 33.33, 1]);
  });

  it('uses the current version of an interval', async () => {
    await insertInterval('versions', { from: 0, to: 20 });
    await insertInterval('versions', { from: 0, lastHeartbeat: 25 });
    await insertInterval('versions', { from: 0, to: 10 });
    expect((await summaryOf('versions', between(0, 30)))[0]).deep.equal([600, 1_200, 33.33, 1]);
  });

  it('finds the start and end of a state far outside the window', async () => {
    const [began, ended] = [-10 * 24 * 60, 500];
    await insertHeartbeats('long', 'stopped', [began - 1]);
    await insertHeartbeats(
      'long',
      'running',
      range(0, (ended - began) / 2).map((step) => began + 2 * step),
    );
    expect(await summaryOf('long', between(0, 60))).deep.equal([
      [3_600, 0, 100, 1],
      ['running', at(began), at(ended)],
    ]);
  });

  it('is stopped since the beginning of the window without any data', async () => {
    const none = [
      [0, 1_800, 0, 0],
      ['stopped', at(0), null],
    ];
    await insertHeartbeats('elsewhere', 'running', range(0, 30), { network_id: 1, device_id: 1112 });
    await insertHeartbeats('elsewhere', 'running', range(0, 30), { network_id: 2, device_id: 1111 });
    await insertHeartbeats('', 'running', range(0, 30));
    for (const app of ['nothing', 'elsewhere', ' ', "x' OR '1'='1", 'a/b%2F?#', '\\', '播放器', '\t{p0:String}'])
      expect(await summaryOf(app, between(0, 30)), app).deep.equal(none);
    await insertHeartbeats('a/b%2F?#', 'running', range(0, 30));
    expect((await request('a/b%2F?#', between(0, 30))).data).deep.include({ app: { code: 'a/b%2F?#' } });
    expect((await summaryOf('a/b%2F?#', between(0, 30)))[0]).deep.equal([1_800, 0, 100, 1]);
  });

  it('says in the message that an app without data is not registered', async () => {
    const messageOf = async (app: string) => (await request(app, between(0, 30))).message;
    await api.insert(registryTables.apps, [{ code: 'signage', name: 'Signage', version: 1 }]);
    expect(await messageOf('signage')).equal('app uptime retrieved');
    expect(await messageOf('poster')).equal('app uptime retrieved; no app poster is registered');
    await insertHeartbeats('unregistered', 'running', range(0, 10));
    expect(await messageOf('unregistered')).equal('app uptime retrieved');
  });

  it('covers a window of any length', async () => {
    await insertHeartbeats('any', 'running', range(0, 10));
    const centuries = '?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z';
    const { summary, window } = (await request('any', centuries)).data;
    expect(window).include({ from: '0001-01-01T00:00:00.000Z', to: at(600) });
    expect(summary).include({ running_seconds: 780, interval_count: 1 });
    expect((await summaryOf('any', '?from=1960-01-01T00:00:00Z&to=1960-01-02T00:00:00Z'))[0]).deep.equal([
      0, 86_400, 0, 0,
    ]);
  });

  it('is available for a retired device', async () => {
    await insertHeartbeats('kept', 'running', range(0, 30), { network_id: 1, device_id: 1122 });
    const retired = { device_id: 1122, network_id: 1, location_id: 112, name: 'Gone', retired: 1, version: 2 };
    await api.insert(registryTables.devices, [deviceRow(retired)]);
    expect((await request('kept', between(0, 30), 1122)).data.summary.running_seconds).equal(1_800);
  });

  it('is available for API keys', async () => {
    const key = await api.apiKey(1);
    const answer = await api.get(`/api/v1/device-apps/1111/player/uptime`, { 'x-api-key': key });
    expect(answer.status).equal(200);
  });
});
