import { expect } from 'chai';
import { intakeStream } from '@popsvc/contracts/events';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { register, registerPlaces } from './registry.fixture.ts';
import { expectApiError, heartbeat, heartbeatPath, without } from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const stream = intakeStream('heartbeat', 1, 'acme', now);
const ago = (ms: number) => new Date(now - ms).toISOString();
const dayMs = 86_400_000;
const post = (api: TestCommandApi, ...heartbeats: readonly unknown[]) => api.send(heartbeatPath, { heartbeats });
const ofFeeder = (over = {}) => without(heartbeat({ feederId: 21, ...over }), 'deviceId');

describe('command-api: heartbeats', () => {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now }, maxAgeDays: 400 });
    await registerPlaces(api.store);
  });
  after(() => api.close());

  it('stores heartbeats of devices, apps and feeders in order and in canonical form', async () => {
    const reply = await post(
      api,
      heartbeat({ at: '2026-08-20T16:03:00.5+02:00' }),
      heartbeat({ appCode: 'player' }),
      heartbeat({ appCode: 'player', state: 'stopped' }),
      ofFeeder(),
    );
    expect(reply.status).to.equal(202);
    expect(reply.body).to.deep.equal({ message: 'Accepted.', acceptedAt: '2026-09-14T12:00:00.000Z', eventCount: 4 });
    const events = await api.items(stream);
    expect(new Set(events.map(({ type }) => type))).to.deep.equal(new Set(['HeartbeatsRecorded']));
    const at = '2026-08-20T14:03:00.000Z';
    expect(events.map(({ data }) => data)).to.deep.equal([
      { deviceId: 11, at: '2026-08-20T14:03:00.500Z' },
      { deviceId: 11, appCode: 'player', state: 'running', at },
      { deviceId: 11, appCode: 'player', state: 'stopped', at },
      { feederId: 21, at },
    ]);
    expect(events[0]?.metadata).to.include({ schemaVersion: 1, network: 1, vendor: 'acme' });
  });

  const bad: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ['neither device nor feeder', without(heartbeat(), 'deviceId'), 'deviceId'],
    ['both a device and a feeder', heartbeat({ feederId: 21 }), 'feederId'],
    ['an app on a feeder', ofFeeder({ appCode: 'player' }), 'appCode'],
    ['a state without an app', heartbeat({ state: 'running' }), 'state'],
    ['another state', heartbeat({ appCode: 'player', state: 'paused' }), 'state'],
    ['an empty app', heartbeat({ appCode: '' }), 'appCode'],
    ['an instant that is null', heartbeat({ at: null }), 'at'],
    ['a device id as text', heartbeat({ deviceId: '11' }), 'deviceId'],
    ['device 0', heartbeat({ deviceId: 0 }), 'deviceId'],
    ['half a feeder', ofFeeder({ feederId: 21.5 }), 'feederId'],
    ['no instant', without(heartbeat(), 'at'), 'at'],
    ['an instant without offset', heartbeat({ at: '2026-08-20T14:03:00' }), 'at'],
    ['an instant as a number', heartbeat({ at: 1_789_000_000 }), 'at'],
    ['an instant more than 24 h ahead', heartbeat({ at: ago(-dayMs - 1) }), 'at'],
    ['an instant before 2000', heartbeat({ at: '1999-12-31T23:59:59.999Z' }), 'at'],
    ['one too old', heartbeat({ at: ago(400 * dayMs + 1) }), 'at'],
    ['an unknown field', heartbeat({ app: 'player' }), 'app'],
  ];
  for (const [what, item, named] of bad)
    it(`rejects ${what}`, async () => {
      expectApiError(await post(api, heartbeat(), item), 400, 'INVALID_EVENT', [`heartbeats[1].${named}`]);
    });

  it('accepts instants at the age limits', async () => {
    expect((await post(api, heartbeat({ at: ago(-dayMs) }), heartbeat({ at: ago(400 * dayMs) }))).status).to.equal(202);
  });

  it('rejects unknown devices and feeders and those of other networks, names each, and accepts unknown apps', async () => {
    const before = (await api.items(stream)).length;
    const reply = await post(
      api,
      heartbeat({ appCode: 'never registered' }),
      heartbeat({ deviceId: 404 }),
      ofFeeder({ feederId: 92 }),
      heartbeat({ deviceId: 91, appCode: 'player' }),
      ofFeeder(),
      ofFeeder({ feederId: 11 }),
    );
    expectApiError(reply, 400, 'INVALID_EVENT', [
      'heartbeats[1].deviceId',
      'heartbeats[2].feederId',
      'heartbeats[3].deviceId',
      'heartbeats[5].feederId',
    ]);
    expect(reply.body.error?.details[1]?.message).to.equal('feeder 92 is not one of this network');
    expect(await api.items(stream)).to.have.length(before);
  });

  it('accepts an id registered just before the request', async () => {
    await register(api.store, 'feeders', { id: 601, name: 'New feed', device: 11 });
    expect((await post(api, ofFeeder({ feederId: 601 }))).status).to.equal(202);
  });

  it('checks ids against the registry with validate_only', async () => {
    const send = (deviceId: number) =>
      api.send(heartbeatPath, { heartbeats: [heartbeat({ deviceId })] }, { query: '?validate_only=true' });
    expect((await send(11)).status).to.equal(200);
    expectApiError(await send(404), 400, 'INVALID_EVENT', ['heartbeats[0].deviceId']);
  });
});
