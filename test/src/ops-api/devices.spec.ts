import { instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcFor } from '../cli/popsvc.fixture.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';

interface Listed {
  readonly total: number;
  readonly count: number;
  readonly next_after: string | null;
  readonly devices: readonly (Readonly<Record<string, unknown>> & { readonly id: number })[];
}

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
    { id: 200, name: 'Elsewhere', site: 20 },
  ],
  devices: [
    { id: 4, name: 'Entrance wall', location: 100, screen_ids: ['w-2', 'w-1'] },
    { id: 5, name: 'Gate screen', location: 110, screen_ids: ['g-1', 'moved'] },
    { id: 6, name: 'Überführung', location: 200, screen_ids: ['w-1'] },
    { id: 7, name: 'Gone', location: 100, screen_ids: [], retired: true },
    { id: 8, name: 'Back office', location: 100, screen_ids: [] },
  ],
  feeders: [
    { id: 4, name: 'Left feed', device: 4 },
    { id: 9, name: 'Right feed', device: 4 },
    { id: 12, name: 'Old feed', device: 4, retired: true },
  ],
};

describe('GET /ops/v1/devices', function () {
  let system: TestServices;
  let popsvc: Popsvc;
  const [justNow, hourAgo] = [instantOf(Date.now() - 30_000), instantOf(Date.now() - 3_600_000)];

  before(async () => {
    system = await startTestServices();
    popsvc = popsvcFor({ baseUrl: system.opsUrl });
    await system.register(registry);
    await system.register({ devices: [{ ...registry.devices[1], screen_ids: ['g-1'] }] });
    await system.register({ devices: [{ ...registry.devices[0], screen_ids: ['w-2', 'w-1', 'moved'] }] });
    const heartbeat = (of: { deviceId: number } | { feederId: number }, at: string, network = 1) =>
      system.heartbeat({ ...of, at }, { receivedAt: at, network });
    await heartbeat({ deviceId: 4 }, justNow);
    await heartbeat({ deviceId: 5 }, hourAgo);
    await heartbeat({ deviceId: 6 }, hourAgo, 2);
    await heartbeat({ feederId: 4 }, justNow);
    await heartbeat({ feederId: 9 }, hourAgo);
    await system.project();
  });
  after(() => system.close());

  const request = (query = '', token = operatorToken) =>
    fetch(`${system.opsUrl}/ops/v1/devices${query}`, { headers: { authorization: `Bearer ${token}` } });
  const list = async (query = '') => (await (await request(query)).json()) as Listed;
  const ids = async (query: string) => (await list(query)).devices.map(({ id }) => id);

  it('lists devices with their place, screens, feeders and status', async () => {
    const all = await list();
    expect({ ...all, devices: all.devices.map(({ id, status }) => [id, status]) }).to.deep.equal({
      total: 4,
      count: 4,
      next_after: null,
      devices: [
        [4, 'online'],
        [5, 'offline'],
        [6, 'offline'],
        [8, 'never'],
      ],
    });
    expect(all.devices[0]).to.deep.equal({
      id: 4,
      name: 'Entrance wall',
      network: { id: 1, name: 'One' },
      site: { id: 10, name: 'Quay' },
      site_timezone: 'UTC',
      location: { id: 100, name: 'Hall' },
      status: 'online',
      last_active_at: justNow,
      offline_since: null,
      screens: ['moved', 'w-1', 'w-2'],
      feeders: [
        { id: 4, name: 'Left feed', status: 'online', last_active_at: justNow },
        { id: 9, name: 'Right feed', status: 'offline', last_active_at: hourAgo },
      ],
    });
    expect(all.devices[1]).to.deep.include({
      screens: ['g-1'],
      last_active_at: hourAgo,
      offline_since: instantOf(Date.parse(hourAgo) + 300_000),
      feeders: [],
    });
    expect(all.devices[2]).to.deep.include({ screens: ['w-1'] });
    expect(all.devices[3]).to.deep.include({ last_active_at: null, offline_since: null, screens: [] });
  });

  it('filters by network, site, status and search text', async () => {
    expect(await ids('?network=1')).to.deep.equal([4, 5, 8]);
    expect(await ids('?site_id=10')).to.deep.equal([4, 8]);
    expect(await ids('?site_id=11&site_id=20')).to.deep.equal([5, 6]);
    expect(await ids('?status=offline')).to.deep.equal([5, 6]);
    expect(await ids('?status=never&network=2')).to.deep.equal([]);
    expect(await ids('?status=online&site_id=10')).to.deep.equal([4]);
    expect(await ids('?search=SCREEN')).to.deep.equal([5]);
    expect(await ids(`?search=${encodeURIComponent('über')}`)).to.deep.equal([6]);
    expect(await ids('?search=8')).to.deep.equal([8]);
    expect(await ids('?search=w-1')).to.deep.equal([4, 6]);
    expect(await ids('?search=moved'), 'shows the screen now, showed it earlier').to.deep.equal([4, 5]);
    expect(await ids(`?search=${encodeURIComponent("%' OR 1")}`)).to.deep.equal([]);
  });

  it('returns pages', async () => {
    const first = await list('?limit=3');
    expect([first.total, first.count, first.next_after]).to.deep.equal([4, 3, '6']);
    const second = await list('?limit=3&after=6');
    expect([second.total, second.count, second.next_after]).to.deep.equal([4, 1, null]);
    expect(await list('?after=8')).to.deep.equal({ total: 4, count: 0, next_after: null, devices: [] });
  });

  it('prints devices on the command line, as columns and as JSON', async () => {
    const options = ['--network', '1', '--status', 'never', '--site', '10', '--search', 'back', '--limit', '5'];
    const { code, stdout, stderr } = await popsvc('devices', 'list', ...options, '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal(await list('?network=1&status=never&site_id=10&search=back&limit=5'));
    const people = await popsvc('devices', 'list', '--limit', '1');
    expect(people.stdout)
      .to.match(/^ID +NAME +STATUS +LAST_ACTIVE_AT/)
      .and.to.match(/\n4 +Entrance wall +online .* moved, w-1, w-2 +4, 9\n$/);
    expect(people.stderr).to.include('1 of 4').and.to.include('--after 4');
    expect((await popsvc('devices', 'list', '--search', 'nowhere')).stdout).to.equal('There are no such devices.\n');
    const unknown = await popsvc('devices', 'list', '--network', '77');
    expect([unknown.code, unknown.stderr.includes('there is no network 77')]).to.deep.equal([1, true]);
    expect((await popsvc('devices', 'list', '--status', 'away')).code).to.equal(2);
  });

  it('rejects invalid parameters', async () => {
    for (const query of ['?limit=0', '?status=away', '?site_id=x', '?search=', '?after=-1', '?site=10', '?network=0'])
      expect((await request(query)).status, query).to.equal(400);
    expect((await request('', 'nonsense')).status).to.equal(401);
  });
});
