import { expect } from 'chai';
import { intakeStream } from '@popsvc/contracts/events';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { registerPlaces } from './registry.fixture.ts';
import { expectApiError, interval, intervalPath, without } from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const stream = intakeStream('interval', 1, 'acme', now);
const ago = (ms: number) => new Date(now - ms).toISOString();
const dayMs = 86_400_000;
const post = (api: TestCommandApi, ...intervals: readonly unknown[]) => api.send(intervalPath, { intervals });

describe('command-api: intervals', () => {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now }, maxAgeDays: 400 });
    await registerPlaces(api.store);
  });
  after(() => api.close());

  it('stores open and closed intervals in order and in canonical form', async () => {
    const closed = {
      state: 'stopped',
      endedAt: '2026-08-20T17:00:00+01:00',
      lastHeartbeatAt: '2026-08-20T16:00:00Z',
      revision: 3,
    };
    const reply = await post(api, interval(), interval({ endedAt: null, lastHeartbeatAt: null }), interval(closed));
    expect(reply.status).to.equal(202);
    expect(reply.body).to.deep.equal({ message: 'Accepted.', acceptedAt: '2026-09-14T12:00:00.000Z', eventCount: 3 });
    const events = await api.items(stream);
    expect(events.map(({ type }) => type)).to.deep.equal(Array.from({ length: 3 }, () => 'IntervalsRecorded'));
    const open = {
      ...interval({ startedAt: '2026-08-20T14:00:00.000Z' }),
      endedAt: null,
      lastHeartbeatAt: null,
      revision: 0,
    };
    const end = '2026-08-20T16:00:00.000Z';
    expect(events.map(({ data }) => data)).to.deep.equal([
      open,
      open,
      { ...open, state: 'stopped', endedAt: end, lastHeartbeatAt: end, revision: 3 },
    ]);
  });

  it('accepts an interval that ends where it starts, and heartbeats at its bounds', async () => {
    const [from, to] = ['2026-08-20T14:00:00Z', '2026-08-20T15:00:00Z'];
    const reply = await post(
      api,
      interval({ endedAt: from, lastHeartbeatAt: from }),
      interval({ endedAt: to, lastHeartbeatAt: from }),
      interval({ endedAt: to, lastHeartbeatAt: to }),
      interval({ lastHeartbeatAt: to }),
      interval({ startedAt: ago(400 * dayMs), endedAt: ago(-dayMs), lastHeartbeatAt: ago(-dayMs) }),
    );
    expect(reply.status).to.equal(202);
  });

  for (const field of ['deviceId', 'appCode', 'state', 'startedAt'])
    it(`rejects an interval without ${field}`, async () => {
      const reply = await post(api, interval(), without(interval(), field));
      expectApiError(reply, 400, 'INVALID_EVENT', [`intervals[1].${field}`]);
    });

  const bad: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ['a device id as text', { deviceId: '11' }, 'deviceId'],
    ['an empty app', { appCode: '' }, 'appCode'],
    ['another state', { state: 'idle' }, 'state'],
    ['a state that is null', { state: null }, 'state'],
    ['a start without offset', { startedAt: '2026-08-20T14:00:00' }, 'startedAt'],
    ['a start that is null', { startedAt: null }, 'startedAt'],
    ['an end without offset', { endedAt: '2026-08-20T15:00:00' }, 'endedAt'],
    ['an end before the start', { endedAt: '2026-08-20T13:59:59.999Z' }, 'endedAt'],
    ['a heartbeat before the start', { lastHeartbeatAt: '2026-08-20T13:59:59.999Z' }, 'lastHeartbeatAt'],
    [
      'a heartbeat after the end',
      { endedAt: '2026-08-20T15:00:00Z', lastHeartbeatAt: '2026-08-20T15:00:00.001Z' },
      'lastHeartbeatAt',
    ],
    ['a heartbeat that is no instant', { lastHeartbeatAt: true }, 'lastHeartbeatAt'],
    ['a negative revision', { revision: -1 }, 'revision'],
    ['a revision of more than 53 bits', { revision: 2 ** 53 }, 'revision'],
    ['half a revision', { revision: 0.5 }, 'revision'],
    ['a feeder', { feederId: 21 }, 'feederId'],
    ['a start more than 24 h ahead', { startedAt: ago(-dayMs - 1) }, 'startedAt'],
    ['a start before 2000', { startedAt: '1999-12-31T23:59:59.999Z' }, 'startedAt'],
    ['a start too old', { startedAt: ago(400 * dayMs + 1) }, 'startedAt'],
    ['an end more than 24 h ahead', { endedAt: ago(-dayMs - 1) }, 'endedAt'],
    ['a heartbeat more than 24 h ahead', { lastHeartbeatAt: ago(-dayMs - 1) }, 'lastHeartbeatAt'],
  ];
  for (const [what, over, named] of bad)
    it(`rejects ${what}`, async () => {
      expectApiError(await post(api, interval(over)), 400, 'INVALID_EVENT', [`intervals[0].${named}`]);
    });

  it('rejects unknown devices and devices of other networks, and stores no interval of the request', async () => {
    const before = (await api.items(stream)).length;
    const reply = await post(api, interval(), interval({ deviceId: 91 }), interval({ deviceId: 404 }));
    expectApiError(reply, 400, 'INVALID_EVENT', ['intervals[1].deviceId', 'intervals[2].deviceId']);
    expect(await api.items(stream)).to.have.length(before);
  });
});
