import type { AppUptime } from '@popsvc/contracts/responses';
import type { DeviceStatus, FeederStatus } from '@popsvc/contracts/responses';
import { expect } from 'chai';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';

const minute = 60_000;

describe('heartbeats from the vendor to the partner', function () {
  let system: TestServices;
  let headers: Readonly<Record<string, string>>;
  const now = Date.now();
  const at = (minutes: number) => new Date(now + minutes * minute).toISOString();
  const push = async (path: string, body: unknown) => {
    const answer = await fetch(`${system.ingestUrl}/popsvc/v1/${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).to.equal(202);
  };
  const request = async (path: string) => {
    const answer = await fetch(`${system.queryUrl}/api/v1/${path}`, { headers });
    const body = (await answer.json()) as { data: unknown };
    expect(answer.status, JSON.stringify(body)).to.equal(200);
    return { headers: answer.headers, data: body.data };
  };
  const project = async () => {
    for (const name of ['registry', 'uptime', 'status']) await system.projectOne(name);
  };
  const status = async (kind: 'devices' | 'feeders', id: number) =>
    (await request(`${kind}/status/${id}`)).data as DeviceStatus & Partial<FeederStatus>;
  const uptime = async (query: string) => (await request(`device-apps/4/player/uptime?${query}`)).data as AppUptime;

  before(async () => {
    system = await startTestServices();
    await system.register({
      ...smallRegistry,
      devices: [...smallRegistry.devices, { id: 14, name: 'Lift', location: 3, screen_ids: [] }],
    });
    headers = { 'x-api-key': await system.apiKey() };
    await project();
  });
  after(() => system.close());

  it('leave a device offline before the first one', async () => {
    expect(await status('devices', 4)).to.deep.include({
      name: 'Entrance',
      status: 'offline',
      last_active_timestamp: null,
    });
    expect((await uptime(`from=${at(-30)}`)).summary).to.include({ running_seconds: 0, interval_count: 0 });
  });

  it('make a device online when current, and not when of the past', async () => {
    const before = Date.now();
    await push('heartbeats', {
      heartbeats: [
        { deviceId: 4, appCode: 'player', at: at(0) },
        { deviceId: 14, at: at(-6) },
      ],
    });
    await project();
    const device = await status('devices', 4);
    expect(device).to.deep.include({
      status: 'online',
      network: { id: 1, name: 'Harbour Media' },
      site: { id: 2, name: 'Quayside' },
      location: { id: 3, name: 'Ground floor' },
    });
    expect(Date.parse(device.last_active_timestamp!)).to.be.within(before, Date.now());
    expect(await status('devices', 14)).to.include({ status: 'offline', last_active_timestamp: null });
    expect(await status('feeders', 5), 'of the same device').to.deep.include({
      status: 'offline',
      device: { id: 4, name: 'Entrance' },
    });
  });

  it('make a feeder online independently of its device', async () => {
    await push('heartbeats', { heartbeats: [{ feederId: 5, at: at(0) }] });
    await project();
    expect((await status('feeders', 5)).status).to.equal('online');
    const { data, headers: responseHeaders } = await request('devices/status?site_id=2');
    expect(data).to.deep.include({ count: 2 });
    expect(Date.parse(responseHeaders.get('x-data-as-of')!)).to.be.closeTo(Date.now(), 60_000);
  });

  it('of an app give its uptime, in any order of arrival', async () => {
    const heartbeats = [-25, -24, -23, -12, -11, -10, -22].map((minutes) => ({
      deviceId: 4,
      appCode: 'player',
      at: at(minutes),
    }));
    await push('heartbeats', { heartbeats: heartbeats });
    await push('heartbeats', { heartbeats: [{ deviceId: 4, appCode: 'player', state: 'stopped', at: at(-9) }] });
    const interval = { deviceId: 4, appCode: 'player', state: 'running', startedAt: at(-24) };
    await push('intervals', { intervals: [interval] });
    await push('intervals', { intervals: [{ ...interval, endedAt: at(-20) }] });
    await project();
    const { summary, current_status, window } = await uptime(`from=${at(-30)}&to=${at(-5)}`);
    expect(window).to.deep.equal({ from: at(-30), to: at(-5), window_seconds: 1_500 });
    // From -25 to -20 by heartbeats and interval, from -12 to -9 running, and stopped at -9.
    expect(summary).to.deep.equal({ running_seconds: 480, stopped_seconds: 1_020, uptime_pct: 32, interval_count: 4 });
    expect(current_status).to.deep.equal({
      status: 'stopped',
      since: at(-9),
      hb_last_seen_at: at(-9),
      source: 'heartbeat',
    });
    expect((await uptime(`from=${at(-1)}`)).current_status).to.include({ status: 'running', since: at(0) });
  });

  it('do not show a retired device', async () => {
    await system.register({ devices: [{ id: 14, name: 'Lift', location: 3, screen_ids: [], retired: true }] });
    await project();
    expect((await request('devices/status')).data).to.deep.include({ count: 1 });
    expect((await fetch(`${system.queryUrl}/api/v1/devices/status/14`, { headers })).status).to.equal(404);
  });
});
