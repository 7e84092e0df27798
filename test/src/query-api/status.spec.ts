import { withEnvelope } from '@popsvc/contracts/responses';
import { DeviceStatus, FeederStatus } from '@popsvc/contracts/responses';
import { liveness, progress, registryTables } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { z } from 'zod';
import { noon } from './rows.fixture.ts';
import { deviceRow, feederRow, heardRow, registerPlaces } from './status-rows.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

const onlineMs = 300_000;
const list = (schema: typeof DeviceStatus) =>
  withEnvelope(z.object({ count: z.int(), rows: z.array(schema.strict()) }).strict()).strict();

describe('status', () => {
  let world: World;
  let token: string;
  let nowMs = noon;
  before(async () => {
    world = await openWorld({ clock: { now: () => nowMs } });
    await registerPlaces(world);
    ({ token } = await world.client(2, 1));
    await world.insert(liveness, [
      heardRow(1, 'device', 1111, noon - 60_000),
      heardRow(1, 'device', 1112, noon - onlineMs - 1),
      heardRow(1, 'feeder', 11111, noon - 120_000),
      heardRow(1, 'feeder', 1112, noon),
      heardRow(2, 'device', 2111, noon),
      // Of another network, though of this id: nobody's.
      heardRow(3, 'device', 1121, noon),
    ]);
  });
  beforeEach(() => void (nowMs = noon));
  after(() => world.close());

  const ask = async (path: string, headers: Readonly<Record<string, string>> = bearer(token)) => {
    const answer = await world.get(`/api/v1${path}`, headers);
    expect(answer.status, path).equal(200);
    return { answer, body: (await answer.json()) as { message: string; data: unknown } };
  };
  const devices = async (query = '', headers?: Readonly<Record<string, string>>) =>
    list(DeviceStatus).parse((await ask(`/devices/status${query}`, headers)).body).data.rows;
  const ids = async (query: string, headers?: Readonly<Record<string, string>>) =>
    (await devices(query, headers)).map(({ id }) => id);
  const device = async (id: number) =>
    withEnvelope(DeviceStatus.strict()).parse((await ask(`/devices/status/${id}`)).body).data;
  const statusAt = async (at: number) => {
    nowMs = at;
    return (await device(1111)).status;
  };

  it('is a record of each device, by id, with its places', async () => {
    const { body, answer } = await ask('/devices/status');
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

  it('is offline, with the last sign of life, once that is too long ago; null where there never was one', async () => {
    const told = (await devices()).map(({ id, status, last_active_timestamp }) => [id, status, last_active_timestamp]);
    expect(told.slice(0, 3)).deep.equal([
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

  it('of a feeder is its own, with its device and where that is', async () => {
    const { body } = await ask('/feeders/status');
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
    const { body: one } = await ask('/feeders/status/11111');
    expect(one.data).deep.equal(data.rows[0]);
  });

  it('of one is its record in the list', async () => {
    const [first] = await devices();
    expect(await device(1111)).deep.equal(first);
  });

  it('is of all networks of a token, of one that is named, or of that of a key', async () => {
    expect(await ids('', { ...bearer(token), 'x-network-name': 'south' })).deep.equal([2111, 2112]);
    const key = { 'x-api-key': await world.apiKey(1) };
    expect((await ids('', key)).length).equal(6);
    expect((await ids('', { ...key, 'x-network-name': 'south' })).length).equal(6);
    const partly = bearer((await world.client(77, 2)).token);
    expect(await ids('', partly), 'of those that are registered').deep.equal([2111, 2112]);
  });

  it('is narrowed by sites and locations, of which both must hold', async () => {
    expect(await ids('?site_id=11')).deep.equal([1111, 1112, 1121, 1122]);
    expect(await ids('?site_id=12&site_id=21')).deep.equal([1211, 1212, 2111, 2112]);
    expect(await ids('?location_id=112&location_id=211&location_id=112')).deep.equal([1121, 1122, 2111, 2112]);
    expect(await ids('?site_id=11&location_id=112')).deep.equal([1121, 1122]);
    expect(await ids('?site_id=12&location_id=112')).deep.equal([]);
    const { body } = await ask('/feeders/status?site_id=21');
    expect((body.data as { rows: { id: number }[] }).rows.map(({ id }) => id)).deep.equal([21111]);
  });

  it('is of nothing in an empty network', async () => {
    await world.register([{ id: 4, name: 'Empty' }]);
    const { body } = await ask('/devices/status', bearer((await world.client(4)).token));
    expect(body).deep.equal({ status: true, message: 'device status retrieved', data: { count: 0, rows: [] } });
  });

  it('names things as they are now, and leaves out what is retired', async () => {
    const own = { network_id: 3, location_id: 311, version: 2 };
    await world.insert(registryTables.devices, [
      deviceRow({ ...own, device_id: 3111, name: 'Renamed "\n\u{1f4fa}"' }),
      deviceRow({ ...own, device_id: 3112, name: 'Gone', retired: 1 }),
    ]);
    const feeder = { network_id: 3, version: 2 };
    await world.insert(registryTables.feeders, [
      feederRow({ ...feeder, feeder_id: 31111, device_id: 3111, name: 'Gone', retired: 1 }),
      feederRow({ ...feeder, feeder_id: 31121, device_id: 3112, name: 'Of a retired one' }),
    ]);
    const headers = bearer((await world.client(3)).token);
    expect((await devices('', headers)).map(({ name }) => name)).deep.equal(['Renamed "\n\u{1f4fa}"']);
    const { body } = await ask('/feeders/status', headers);
    expect((body.data as { rows: { id: number }[] }).rows.map(({ id }) => id)).deep.equal([31121]);
    for (const path of ['/devices/status/3112', '/feeders/status/31111'])
      expect((await world.get(`/api/v1${path}`, headers)).status, path).equal(404);
  });

  it('says until when everything received is in it', async () => {
    expect((await ask('/devices/status')).answer.headers.get('x-data-as-of')).equal(null);
    const row = { generation: 1, rows: 1, epoch: 1, written_at: noon, pos: 1 };
    await world.insert(progress, [{ ...row, projection: 'status', as_of: noon + 9 }]);
    for (const path of ['/devices/status', '/feeders/status', '/devices/status/1111', '/feeders/status/11111'])
      expect((await ask(path)).answer.headers.get('x-data-as-of')).equal('2026-08-20T12:00:00.009Z');
  });
});
