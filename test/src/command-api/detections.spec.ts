// cspell:ignore wacthes
import { expect } from 'chai';
import { intakeStream } from '@popsvc/contracts/events';
import type { EventStore } from '@popsvc/platform/event-store';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { register, registerPlaces } from './registry.fixture.ts';
import { detection, detectionPath, expectApiError, without } from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const stream = intakeStream('detection', 1, 'acme', now);
const post = (api: TestCommandApi, ...detections: readonly unknown[]) => api.send(detectionPath, { detections });
const watch = (startedAt: string, endedAt: string) => ({ startedAt, endedAt });

describe('command-api: detections', () => {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now } });
    await registerPlaces(api.store);
  });
  after(() => api.close());

  it('stores detections in canonical form', async () => {
    const sent = detection({ feederId: 21, cameraId: 31, age: 34, reid: 'r', distance: [1.5], population: 'FOOTFALL' });
    const reply = await post(api, sent, detection());
    expect(reply.status).to.equal(202);
    expect(reply.body).to.include({ eventCount: 2, acceptedAt: '2026-09-14T12:00:00.000Z' });
    const [first, second] = await api.items(stream);
    expect(first?.type).to.equal('DetectionsRecorded');
    expect(first?.data).to.deep.equal({
      ...sent,
      revision: 0,
      age: '34',
      startedAt: '2026-08-20T14:03:06.000Z',
      endedAt: '2026-08-20T14:03:20.400Z',
      watches: [watch('2026-08-20T14:03:08.000Z', '2026-08-20T14:03:09.200Z')],
    });
    expect(second?.data).to.deep.include({ revision: 0, distance: [], population: 'VIEWER' });
  });

  for (const field of ['detectionId', 'deviceId', 'watcherId', 'startedAt', 'endedAt', 'watches'])
    it(`rejects a detection without ${field}`, async () => {
      const reply = await post(api, detection(), without(detection(), field));
      expectApiError(reply, 400, 'INVALID_EVENT', [`detections[1].${field}`]);
    });

  const bad: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ['an empty id', { detectionId: '' }, 'detectionId'],
    ['a negative revision', { revision: -1 }, 'revision'],
    ['a device id as text', { deviceId: '11' }, 'deviceId'],
    ['device 0', { deviceId: 0 }, 'deviceId'],
    ['a watcher of more than 53 bits', { watcherId: 2 ** 53 }, 'watcherId'],
    ['an instant without offset', { startedAt: '2026-08-20T14:03:06' }, 'startedAt'],
    ['an end before the start', { endedAt: '2026-08-20T14:03:05Z', watches: [] }, 'endedAt'],
    ['more than 24 h', { endedAt: '2026-08-21T14:03:06.001Z' }, 'endedAt'],
    [
      'a watch before the detection',
      { watches: [watch('2026-08-20T14:03:05Z', '2026-08-20T14:03:07Z')] },
      'watches[0].startedAt',
    ],
    [
      'a watch after the detection',
      { watches: [watch('2026-08-20T14:03:08Z', '2026-08-20T14:03:20.401Z')] },
      'watches[0].endedAt',
    ],
    [
      'a watch that runs backwards',
      { watches: [watch('2026-08-20T14:03:09Z', '2026-08-20T14:03:08Z')] },
      'watches[0].endedAt',
    ],
    ['a watch without its end', { watches: [{ startedAt: '2026-08-20T14:03:08Z' }] }, 'watches[0].endedAt'],
    ['another population', { population: 'DOG' }, 'population'],
    ['an age that is a list', { age: [3] }, 'age'],
    ['a distance that is text', { distance: ['near'] }, 'distance[0]'],
    ['1,001 distances', { distance: Array.from({ length: 1_001 }, () => 1) }, 'distance'],
    ['1,001 watches', { watches: Array.from({ length: 1_001 }, () => 1) }, 'watches'],
    ['an unknown field', { wacthes: [] }, 'wacthes'],
    [
      'a start more than 24 h ahead',
      { startedAt: '2026-09-15T12:00:00.001Z', endedAt: '2026-09-15T12:00:01Z', watches: [] },
      'startedAt',
    ],
  ];
  for (const [what, over, named] of bad)
    it(`rejects ${what}`, async () => {
      expectApiError(await post(api, detection(over)), 400, 'INVALID_EVENT', [`detections[0].${named}`]);
    });

  it('rejects unknown devices, feeders and cameras and those of other networks, and names each', async () => {
    const reply = await post(
      api,
      detection(),
      detection({ deviceId: 404 }),
      detection({ deviceId: 91 }),
      detection({ feederId: 404, cameraId: 93 }),
      detection({ deviceId: 12, feederId: 21, cameraId: 31 }),
    );
    expectApiError(reply, 400, 'INVALID_EVENT', [
      'detections[1].deviceId',
      'detections[2].deviceId',
      'detections[3].feederId',
      'detections[3].cameraId',
    ]);
    expect(reply.body.error?.details[0]?.message).to.include('404');
    // The message must not reveal that device 91 exists in another network.
    const [unknown, foreign] = [404, 91].map((id) =>
      reply.body.error?.details.find((d) => d.message.includes(String(id))),
    );
    expect(foreign?.message).to.equal(unknown?.message.replace('404', '91'));
  });

  it('accepts an id registered just before the request', async () => {
    for (const id of [501, 502, 503, 504, 505]) {
      await register(api.store, 'devices', { id, name: `New ${id}`, location: 5, screen_ids: [] });
      expect((await post(api, detection({ deviceId: id }))).status).to.equal(202);
    }
  });

  it('accepts detections of a feeder on the device it was moved from', async () => {
    await register(api.store, 'feeders', { id: 22, name: 'Moving feed', device: 11 });
    await register(api.store, 'feeders', { id: 22, name: 'Moving feed', device: 12 }, 'Changed');
    expect((await post(api, detection({ feederId: 22 }), detection({ deviceId: 12, feederId: 22 }))).status).to.equal(
      202,
    );
  });
});

describe('command-api: detections while the registry cache lags behind', () => {
  let [patient, hasty] = [] as unknown as [TestCommandApi, TestCommandApi];
  before(async () => {
    // A subscription that catches up and then delivers no more events.
    const between = (real: EventStore): EventStore => ({
      ...real,
      async *subscribe({ signal }) {
        yield { kind: 'caught-up' };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    patient = await commandApi({ between });
    hasty = await commandApi({ between, timeouts: { idCheckMs: 1_000 } });
    for (const api of [patient, hasty]) await registerPlaces(api.store);
  });
  after(async () => {
    await patient.close();
    await hasty.close();
  });

  it('responds 503 after its wait for an id that is registered', async () => {
    const began = performance.now();
    const reply = await post(hasty, detection());
    expectApiError(reply, 503, 'UNAVAILABLE');
    expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
    expect(performance.now() - began).to.be.greaterThan(900);
  });

  it('rejects an id that is not registered', async () => {
    const reply = await post(patient, detection({ deviceId: 404 }));
    expectApiError(reply, 400, 'INVALID_EVENT', ['detections[0].deviceId']);
  });
});
