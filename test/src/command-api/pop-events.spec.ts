// cspell:ignore campaing
import { expect } from 'chai';
import { intakeStream } from '@popsvc/contracts/events';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { detection, expectApiError, play, popPath, without } from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const ago = (ms: number) => new Date(now - ms).toISOString();
const dayMs = 86_400_000;
const stream = intakeStream('pop', 1, 'acme', now);
const post = (api: TestCommandApi, ...events: readonly unknown[]) => api.send(popPath, { events });
const good = (over: Readonly<Record<string, unknown>> = {}) => play({ playedAt: ago(60_000), ...over });

describe('command-api: canonical proof-of-play events', () => {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now }, maxAgeDays: 400 });
  });
  after(() => api.close());

  it('responds 202 once the events are stored, in order, in one stream', async () => {
    const sent = [good({ eventId: 'a', playedAt: '2026-09-14T13:59:00+02:00' }), good({ eventId: 'b' })];
    const { status, body } = await post(api, ...sent);
    expect(status).to.equal(202);
    expect(body).to.include({ message: 'Accepted.', acceptedAt: '2026-09-14T12:00:00.000Z', eventCount: 2 });
    const events = await api.items(stream);
    expect(events.map(({ data }) => data)).to.deep.equal([
      { ...sent[0], playedAt: '2026-09-14T11:59:00.000Z' },
      sent[1],
    ]);
    expect(events.map(({ type }) => type)).to.deep.equal(['PlaysRecorded', 'PlaysRecorded']);
    const { metadata, eventId: id } = events[0]!;
    expect(metadata).to.include({
      schemaVersion: 1,
      receivedAt: '2026-09-14T12:00:00.000Z',
      network: 1,
      vendor: 'acme',
    });
    expect(metadata.keyId).to.match(/^[0-9a-f-]{36}$/);
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('stores every field of service.md 2.7 and any content of context, device and impressions', async () => {
    const full = good({
      siteId: 'their site',
      startReason: 'trigger-based',
      impressions: { ageBuckets: { total: 4, male: 1.5, female: 2.5, other: 1 }, source: 'panel' },
      context: { weather: { celsius: -3, words: ['cold', null] } },
      device: { firmware: '1.2.3' },
    });
    expect((await post(api, full)).status).to.equal(202);
    expect((await api.items(stream)).at(-1)?.data).to.deep.equal(full);
  });

  for (const field of ['eventId', 'screenId', 'campaignId', 'creativeId', 'playedAt', 'durationMs'])
    it(`rejects an event without ${field}`, async () => {
      const reply = await post(api, good(), without(good(), field));
      expectApiError(reply, 400, 'INVALID_EVENT', [`events[1].${field}`]);
      expect(reply.body.message).to.include('is required');
    });

  const bad: readonly (readonly [string, unknown, string?])[] = [
    ['eventId', ''],
    ['eventId', 5],
    ['eventId', 'x'.repeat(1_001)],
    ['screenId', ''],
    ['siteId', false],
    ['screenId', null],
    ['campaignId', 'x'.repeat(1_001)],
    ['creativeId', ['CR']],
    ['playedAt', ''],
    ['playedAt', '2026-09-14T12:00:00'],
    ['playedAt', '2026-09-14'],
    ['playedAt', '2026-02-30T12:00:00Z'],
    ['playedAt', 1_789_000_000],
    ['durationMs', 0],
    ['durationMs', -1],
    ['durationMs', 1.5],
    ['durationMs', '10000'],
    ['durationMs', 86_400_001],
    ['startReason', 7],
    ['impressions', 'many'],
    ['impressions', { ageBuckets: { total: '4' } }, 'impressions.ageBuckets.total'],
    ['context', 'rain'],
    ['context', ['rain']],
    ['device', 1],
    ['campaingId', 'C-100'],
  ];
  for (const [field, value, named = field] of bad)
    it(`rejects ${field} ${JSON.stringify(value).slice(0, 40)}`, async () => {
      expectApiError(await post(api, good({ [field]: value })), 400, 'INVALID_EVENT', [`events[0].${named}`]);
    });

  it('accepts durations at their bounds', async () => {
    expect((await post(api, good({ durationMs: 1 }), good({ durationMs: 86_400_000 }))).status).to.equal(202);
  });

  it('accepts late plays and plays up to 24 h ahead, and rejects those further ahead, before 2000 or too old', async () => {
    const fine = [ago(-dayMs), ago(-61_000), ago(15 * dayMs), ago(400 * dayMs)];
    expect((await post(api, ...fine.map((playedAt) => good({ playedAt })))).status).to.equal(202);
    for (const playedAt of [ago(-dayMs - 1), '1999-12-31T23:59:59.999Z', ago(400 * dayMs + 1)])
      expectApiError(await post(api, good({ playedAt })), 400, 'INVALID_EVENT', ['events[0].playedAt']);
  });

  it('stores no event of a request with one invalid event', async () => {
    const before = (await api.items(stream)).length;
    expectApiError(await post(api, good(), good({ durationMs: 0 }), good()), 400, 'INVALID_EVENT', [
      'events[1].durationMs',
    ]);
    expect(await api.items(stream)).to.have.length(before);
  });

  it('names up to 100 invalid events, and further invalid fields while the limit allows', async () => {
    const two = await post(api, good({ durationMs: 0, eventId: '' }), good(), good({ durationMs: 0, extra: 1 }));
    expectApiError(two, 400, 'INVALID_EVENT');
    expect(two.body.error?.details.map(({ path }) => path)).to.have.members([
      'events[0].eventId',
      'events[0].durationMs',
      'events[2].durationMs',
      'events[2].extra',
    ]);
    const many = await post(api, ...Array.from({ length: 150 }, () => good({ durationMs: 0, eventId: '' })));
    expect(many.body.error?.details.map(({ path }) => /^events\[(\d+)\]/.exec(path)?.[1])).to.deep.equal(
      Array.from({ length: 100 }, (_, index) => String(index)),
    );
    const some = await post(api, ...Array.from({ length: 60 }, () => good({ durationMs: 0, eventId: '' })));
    const named = some.body.error?.details.map(({ path }) => path.replace(/\..*/, ''));
    expect(named).to.have.length(100);
    expect(new Set(named)).to.have.property('size', 60);
  });

  it('accepts 1,000 events and rejects 1,001, none, and a value that is not a list', async () => {
    const events = Array.from({ length: 1_001 }, () => good());
    const full = await api.send(popPath, { events: events.slice(0, 1_000) });
    expect({ status: full.status, count: full.body.eventCount }).to.deep.equal({ status: 202, count: 1_000 });
    const ids = (await api.items(stream)).slice(-1_000).map(({ data }) => (data as { eventId: string }).eventId);
    expect(ids).to.deep.equal(events.slice(0, 1_000).map(({ eventId }) => eventId));
    for (const list of [events, [], undefined, null, {}, 'x'])
      expectApiError(await api.send(popPath, { events: list }), 400, 'INVALID_EVENT', ['events']);
  });

  for (const body of ['null', '[]', '"events"', '5', 'true'])
    it(`rejects the body ${body}`, async () => {
      expectApiError(await api.send(popPath, body), 400, 'INVALID_EVENT', ['events']);
    });

  it('rejects unknown fields next to the list', async () => {
    expectApiError(await api.send(popPath, { events: [good()], event: [] }), 400, 'INVALID_EVENT', ['event']);
  });

  it('rejects an event that is not an object', async () => {
    for (const item of [null, 1, 'x', []]) expectApiError(await post(api, item), 400, 'INVALID_EVENT', ['events[0]']);
  });

  it('rejects an event larger than an append can store, and names it', async () => {
    const large = good({ context: { text: 'x'.repeat(1_100_000) } });
    expectApiError(await post(api, good(), large), 400, 'INVALID_EVENT', ['events[1]']);
  });

  it('stores nothing with validate_only', async () => {
    const before = (await api.items(stream)).length;
    const valid = await api.send(popPath, { events: [good(), good()] }, { query: '?validate_only=true' });
    // `warnings` name the three ids of the plays: the registry is empty.
    expect(Object.keys(valid.body)).to.have.members(['message', 'eventCount', 'warnings', 'warningCount']);
    expect(valid.status).to.equal(200);
    expect(valid.body).to.include({ message: 'Valid; nothing was stored.', eventCount: 2, warningCount: 3 });
    const invalid = await api.send(popPath, { events: [good({ durationMs: 0 })] }, { query: '?validate_only=true' });
    expectApiError(invalid, 400, 'INVALID_EVENT', ['events[0].durationMs']);
    expect(await api.items(stream)).to.have.length(before);
    expect((await api.send(popPath, { events: [good()] }, { query: '?validate_only=false' })).status).to.equal(202);
  });

  for (const [query, named] of [
    ['?validate_only=yes', 'validate_only'],
    ['?validate_only=', 'validate_only'],
    ['?validate_only=true&validate_only=true', 'validate_only'],
    ['?validateOnly=true', 'validateOnly'],
    ['?access_token=x', 'access_token'],
  ] as const)
    it(`refuses the query ${query}`, async () => {
      expectApiError(await api.send(popPath, { events: [good()] }, { query }), 400, 'INVALID_PARAM', [named]);
    });

  it('does not take detections here', async () => {
    expectApiError(await post(api, detection()), 400, 'INVALID_EVENT');
  });
});
