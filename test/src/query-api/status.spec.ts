import { DeviceStatus, FeederStatus, withEnvelope } from '@popsvc/contracts/responses';
import { liveness, registryTables } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { z } from 'zod';
import { noon } from './rows.fixture.ts';
import { deviceRow, feederRow, livenessRow, registerPlaces } from './status-rows.fixture.ts';
import { bearer, progress, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const onlineMs = 300_000;
const list = (schema: typeof DeviceStatus) =>
  withEnvelope(z.object({ count: z.int(), rows: z.array(schema.strict()) }).strict()).strict();

describe('status', () => {
  let api: TestQueryApi;
  let token: string;
  let nowMs = noon;
  before(async () => {
    api = await startTestQueryApi({ clock: { now: () => nowMs } });
    await registerPlaces(api);
    ({ token } = await api.client(2, 1));
    await api.insert(liveness, [
      livenessRow(1, 'device', 1111, noon - 60_000),
      livenessRow(1, 'device', 1112, noon - onlineMs - 1),
      livenessRow(1, 'feeder', 11111, noon - 120_000),
      livenessRow(1, 'feeder', 1112, noon),
      livenessRow(2, 'device', 2111, noon),
      // Has the id of a device of network 1, but belongs to network 3.
      livenessRow(3, 'device', 1121, noon),
    ]);
  });
  beforeEach(() => void (nowMs = noon));
  after(() => api.close());

  const request = async (path: string, headers: Readonly<Record<string, string>> = bearer(token)) => {
    const answer = await api.get(`/api/v1${path}`, headers);
    expect(answer.status, path).equal(200);
    return { answer, body: (await answer.json()) as { message: string; data: unknown } };
  };
  const devices = async (query = '', headers?: Readonly<Record<string, string>>) =>
    list(DeviceStatus).parse((await request(`/devices/status${query}`, headers)).body).data.rows;
  const ids = async (query: string, headers?: Readonly<Record<string, string>>) =>
    (await devices(query, headers)).map(({ id }) => id);
  const device = async (id: number) =>
    withEnvelope(DeviceStatus.strict()).parse((await request(`/devices/status/${id}`)).body).data;
  const statusAt = async (at: number) => {
    nowMs = at;
    return (await device(1111)).status;
  };

  it('lists each device by id with its places', async () => {
    const { body, answer } = await request('/devices/status');
    const { data } = list(DeviceStatus).parse(body);
    expect(answer.headers.get('content-type')).equal('application/json; charset=utf-8');
    expect(body.message).equal('device status retrieved');
    expect(data.count).equal(8);
    expect(data.rows.map(({ id }) => id)).deep.equal([1111, 1112, 1121, 1122, 1211, 1212, 2111, 2112]);
    expect(data.rows[0]).deep.equal({
      id: 1111,
      name: 'Device 1111',
      network: { id: 1, name: 'North' },
      site: { id: 11, name: 'Site 11' },
      location: { id: 111, name: 'Location 111' },
      status: 'online',
      last_active_timestamp: '2026-08-20T11:59:00.000Z',
      source: 'heartbeat',
    });
  });

  it('is offline after 300 s, with the last heartbeat or null', async () => {
    const rows = (await devices()).map(({ id, status, last_active_timestamp }) => [id, status, last_active_timestamp]);
    expect(rows.slice(0, 3)).deep.equal([
      [1111, 'online', '2026-08-20T11:59:00.000Z'],
      [1112, 'offline', '2026-08-20T11:54:59.999Z'],
      [1121, 'offline', null],
    ]);
  });

  it('is online for 300 s to the millisecond', async () => {
    expect(await statusAt(noon - 60_000 + onlineMs)).equal('online');
    expect(await statusAt(noon - 60_000 + onlineMs + 1)).equal('offline');
    expect(await statusAt(noon - 61_000), 'received by a clock that is ahead').equal('online');
  });

  it('of a feeder has its own heartbeats, and the device with its places', async () => {
    const { body } = await request('/feeders/status');
    const { data } = withEnvelope(z.object({ count: z.int(), rows: z.array(FeederStatus.strict()) })).parse(body);
    expect(body.message).equal('feeder status retrieved');
    expect(data.rows.map(({ id }) => id)).deep.equal([11111, 11121 + 90, 12111, 21111]);
    expect(data.rows[0]).deep.equal({
      id: 11111,
      name: 'Feeder 11111',
      network: { id: 1, name: 'North' },
      site: { id: 11, name: 'Site 11' },
      location: { id: 111, name: 'Location 111' },
      status: 'online',
      last_active_timestamp: '2026-08-20T11:58:00.000Z',
      source: 'heartbeat',
      device: { id: 1111, name: 'Device 1111' },
    });
    const { body: one } = await request('/feeders/status/11111');
    expect(one.data).deep.equal(data.rows[0]);
  });

  it('of one device equals its row in the list', async () => {
    const [first] = await devices();
    expect(await device(1111)).deep.equal(first);
  });

  it('covers all networks of a token, the selected network, or the network of an API key', async () => {
    expect(await ids('', { ...bearer(token), 'x-network-name': 'south' })).deep.equal([2111, 2112]);
    const key = { 'x-api-key': await api.apiKey(1) };
    expect((await ids('', key)).length).equal(6);
    expect((await ids('', { ...key, 'x-network-name': 'south' })).length).equal(6);
    const partly = bearer((await api.client(77, 2)).token);
    expect(await ids('', partly), 'of those that are registered').deep.equal([2111, 2112]);
  });

  it('is limited by sites and locations, which both must match', async () => {
    expect(await ids('?site_id=11')).deep.equal([1111, 1112, 1121, 1122]);
    expect(await ids('?site_id=12&site_id=21')).deep.equal([1211, 1212, 2111, 2112]);
    expect(await ids('?location_id=112&location_id=211&location_id=112')).deep.equal([1121, 1122, 2111, 2112]);
    expect(await ids('?site_id=11&location_id=112')).deep.equal([1121, 1122]);
    expect(await ids('?site_id=12&location_id=112')).deep.equal([]);
    const { body } = await request('/feeders/status?site_id=21');
    expect((body.data as { rows: { id: number }[] }).rows.map(({ id }) => id)).deep.equal([21111]);
  });

  it('is an empty list for an empty network', async () => {
    await api.register([{ id: 4, name: 'Empty' }]);
    const { body } = await request('/devices/status', bearer((await api.client(4)).token));
    expect(body).deep.equal({ status: true, message: 'device status retrieved', data: { count: 0, rows: [] } });
  });

  it('has current names and omits retired devices and feeders', async () => {
    const own = { network_id: 3, location_id: 311, version: 2 };
    await api.insert(registryTables.devices, [
      deviceRow({ ...own, device_id: 3111, name: 'Renamed "\n\u{1f4fa}"' }),
      deviceRow({ ...own, device_id: 3112, name: 'Gone', retired: 1 }),
    ]);
    const feeder = { network_id: 3, version: 2 };
    await api.insert(registryTables.feeders, [
      feederRow({ ...feeder, feeder_id: 31111, device_id: 3111, name: 'Gone', retired: 1 }),
      feederRow({ ...feeder, feeder_id: 31121, device_id: 3112, name: 'Of a retired one' }),
    ]);
    const headers = bearer((await api.client(3)).token);
    expect((await devices('', headers)).map(({ name }) => name)).deep.equal(['Renamed "\n\u{1f4fa}"']);
    const { body } = await request('/feeders/status', headers);
    expect((body.data as { rows: { id: number }[] }).rows.map(({ id }) => id)).deep.equal([31121]);
    for (const path of ['/devices/status/3112', '/feeders/status/31111'])
      expect((await api.get(`/api/v1${path}`, headers)).status, path).equal(404);
  });

  it('has X-Data-As-Of', async () => {
    expect((await request('/devices/status')).answer.headers.get('x-data-as-of')).equal(null);
    const row = { generation: 1, pos: 1 };
    await api.insert(progress, [{ ...row, projection: 'status', as_of: noon + 9 }]);
    for (const path of ['/devices/status', '/feeders/status', '/devices/status/1111', '/feeders/status/11111'])
      await waitUntil(
        async () => (await request(path)).answer.headers.get('x-data-as-of'),
        (asOf) => asOf === '2026-08-20T12:00:00.009Z',
      );
  });
});
