import { expect } from 'chai';
import { expectRefused } from './refusals.fixture.ts';
import { noon } from './rows.fixture.ts';
import { registerPlaces } from './status-rows.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const lists = ['/devices/status', '/feeders/status'];
const ones = ['/devices/status/1111', '/feeders/status/11111'];
const uptime = '/device-apps/1111/player/uptime';
const all = [...lists, ...ones, uptime];
const invalidIds = [
  '0',
  '-1',
  'abc',
  '1e3',
  '1.0',
  '+1',
  '01',
  '9007199254740992',
  '99999999999999999999',
  '1%20',
  '%20',
  '１',
];
const invalidTimes = [
  '',
  'yesterday',
  '2026-08-20',
  '2026-08-20T00:00:00',
  '2026-08-20%2000:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-08-20T24:00:00Z',
  '2026-08-20T00:00:00+02:00',
  '1785542400000',
];

describe('status and uptime', () => {
  let api: TestQueryApi;
  let token: string;
  before(async () => {
    api = await startTestQueryApi({ clock: { now: () => noon } });
    await registerPlaces(api);
    ({ token } = await api.client(1, 2));
  });
  after(() => api.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = bearer(token)) =>
    api.get(`/api/v1${path}`, headers);
  const expectParam = async (path: string, ...names: readonly string[]) =>
    expectRefused(await get(path), 400, 'INVALID_PARAM', ...names);

  it('refuse an invalid id', async () => {
    for (const id of invalidIds) {
      for (const path of ['/devices/status', '/feeders/status']) await expectParam(`${path}/${id}`, 'id');
      await expectParam(`/device-apps/${id}/player/uptime`, 'deviceId');
    }
  });

  it('refuse an invalid site or location', async () => {
    for (const path of lists)
      for (const name of ['site_id', 'location_id'])
        for (const id of [...invalidIds, '', '11,12', '11%27'])
          await expectParam(`${path}?${name}=11&${name}=${id}`, name);
    await expectParam('/devices/status?location_id=x&site_id=0', 'site_id', 'location_id');
  });

  it('refuse an unknown parameter', async () => {
    for (const path of all) await expectParam(`${path}?siteid=1`, 'siteid');
    for (const path of [...ones, uptime]) await expectParam(`${path}?site_id=11`, 'site_id');
    for (const path of lists) await expectParam(`${path}?from=2026-08-20T00:00:00Z&limit=5`, 'from', 'limit');
  });

  it('refuse an invalid edge of the window', async () => {
    for (const time of invalidTimes)
      for (const name of ['from', 'to']) await expectParam(`${uptime}?${name}=${time}`, name);
    for (const name of ['from', 'to'])
      await expectParam(`${uptime}?${name}=2026-08-20T01:00:00Z&${name}=2026-08-20T02:00:00Z`, name);
    await expectParam('/device-apps/0/player/uptime?from=x&to=y&z=1', 'z', 'deviceId', 'from', 'to');
  });

  it('refuse a window that is empty or in the future', async () => {
    const at = (hour: string) => `2026-08-20T${hour}:00:00.000Z`;
    await expectParam(`${uptime}?from=${at('11')}&to=${at('11')}`, 'from');
    await expectParam(`${uptime}?from=${at('11')}&to=${at('10')}`, 'from');
    await expectParam(`${uptime}?from=${at('12')}&to=${at('13')}`, 'from');
    await expectParam(`${uptime}?from=${at('13')}`, 'from');
    await expectParam(`${uptime}?to=2000-01-01T00:00:00Z`, 'to');
    expect((await get(`${uptime}?from=2026-08-20T11:59:59.999Z&to=${at('13')}`)).status).equal(200);
  });

  it('refuse a network that the token does not have', async () => {
    for (const path of all)
      await expectRefused(
        await get(path, { ...bearer(token), 'x-network-name': 'Elsewhere' }),
        401,
        'UNAUTHORIZED',
        'X-Network-Name',
      );
  });

  it('refuse a credential without registered networks', async () => {
    for (const headers of [bearer((await api.client(77)).token), { 'x-api-key': await api.apiKey(77) }])
      for (const path of all) await expectRefused(await get(path, headers), 403, 'FORBIDDEN_NETWORKS');
  });

  it('refuse foreign and unknown places, alone or together with own places', async () => {
    for (const path of lists)
      for (const query of ['site_id=31', 'site_id=999', 'site_id=11&site_id=31', 'location_id=311', 'location_id=999'])
        await expectRefused(await get(`${path}?${query}`), 403, 'FORBIDDEN_NETWORKS', query.split('=')[0]!);
    await expectRefused(
      await get('/devices/status?site_id=11&location_id=311'),
      403,
      'FORBIDDEN_NETWORKS',
      'location_id',
    );
    const south = { ...bearer(token), 'x-network-name': 'South' };
    expect((await get('/devices/status?site_id=11')).status).equal(200);
    await expectRefused(await get('/devices/status?site_id=11', south), 403, 'FORBIDDEN_NETWORKS', 'site_id');
    await expectRefused(
      await get('/devices/status?location_id=111', { 'x-api-key': await api.apiKey(2) }),
      403,
      'FORBIDDEN_NETWORKS',
      'location_id',
    );
  });

  it('respond to foreign and to unknown ids with the same 404', async () => {
    const south = { ...bearer(token), 'x-network-name': 'South' };
    for (const at of [
      (id: string) => `/devices/status/${id}`,
      (id: string) => `/feeders/status/${id}1`,
      (id: string) => `/device-apps/${id}/player/uptime`,
    ]) {
      const messages = [];
      for (const [id, headers] of [
        ['9007199254740', undefined],
        ['3111', undefined],
        ['1111', south],
      ] as const)
        messages.push((await expectRefused(await get(at(id), headers), 404, 'NOT_FOUND')).message);
      expect(new Set(messages).size).equal(1);
    }
    for (const path of ['/devices/status/', '/devices', '/device-apps/1111/uptime', '/device-apps/1111//uptime'])
      await expectRefused(await get(path), 404, 'NOT_FOUND');
  });
});
