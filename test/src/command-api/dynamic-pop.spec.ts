import { expect } from 'chai';
import { type DynamicPlaysRecorded, intakeStream } from '@popsvc/contracts/events';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { dynamicPath, expectApiError, play, popPath } from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const stream = intakeStream('dynamicPop', 1, 'acme', now);
const post = (api: TestCommandApi, events: readonly unknown[], schemaVersion: unknown = 'v1') =>
  api.send(dynamicPath, { schemaVersion, events });
/** The same, with the events as JSON text. */
const postText = (api: TestCommandApi, ...events: readonly string[]) =>
  api.send(dynamicPath, `{"schemaVersion":"v1","events":[${events.join(',')}]}`);

interface Stored {
  readonly schemaVersion: string;
  readonly event: unknown;
}

describe('command-api: dynamic proof-of-play events', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now } });
  });
  after(() => api.close());
  const stored = async () => (await api.items(stream)).map(({ data }) => data as Stored);

  it('responds 202 with the schema version once the events are stored as sent, in order', async () => {
    const events = [{ frameid: '12', start: 'yesterday', nested: { list: [1, null, { deep: true }] } }, {}];
    const { status, body } = await post(api, events, 'playout 1.0 β');
    expect(status).to.equal(202);
    expect(body).to.deep.equal({
      message: 'Accepted.',
      acceptedAt: '2026-09-14T12:00:00.000Z',
      eventCount: 2,
      schemaVersion: 'playout 1.0 β',
    });
    const [first, second] = await api.items(stream);
    expect(first?.type).to.equal('DynamicPlaysRecorded');
    expect(first?.data).to.deep.equal({ schemaVersion: 'playout 1.0 β', event: events[0] });
    expect(second?.data).to.deep.equal({ schemaVersion: 'playout 1.0 β', event: {} });
    expect(first?.metadata).to.include({ network: 1, vendor: 'acme', receivedAt: '2026-09-14T12:00:00.000Z' });
  });

  it('does not validate events: fields named as in canonical events may hold any value', async () => {
    const event = { eventId: 5, playedAt: '1066-10-14', durationMs: -1, schemaVersion: [], events: 'no list' };
    expect((await post(api, [event])).status).to.equal(202);
    expect((await stored()).at(-1)?.event).to.deep.equal(event);
  });

  for (const [what, schemaVersion] of [
    ['empty', ''],
    ['a number', 1],
    ['null', null],
    ['a list', ['v1']],
    ['of 201 characters', 'v'.repeat(201)],
  ] as const)
    it(`rejects a schema version that is ${what}`, async () => {
      expectApiError(await post(api, [{}], schemaVersion), 400, 'INVALID_EVENT', ['schemaVersion']);
    });

  it('rejects a body without schema version, without events, without both, and with unknown fields', async () => {
    const send = (body: unknown) => api.send(dynamicPath, body);
    expectApiError(await send({ events: [{}] }), 400, 'INVALID_EVENT', ['schemaVersion']);
    expectApiError(await send({ schemaVersion: 'v1' }), 400, 'INVALID_EVENT', ['events']);
    expectApiError(await send({}), 400, 'INVALID_EVENT', ['schemaVersion', 'events']);
    expectApiError(await send({ schemaVersion: 'v1', events: [{}], vendor: 'x' }), 400, 'INVALID_EVENT', ['vendor']);
    for (const body of ['null', '[]', '"v1"']) expectApiError(await send(body), 400, 'INVALID_EVENT', ['events']);
  });

  it('accepts 1,000 events and rejects 1,001, none, and a value that is not a list', async () => {
    const events = Array.from({ length: 1_001 }, (_, index) => ({ index }));
    expect((await post(api, events.slice(0, 1_000))).body.eventCount).to.equal(1_000);
    expect((await stored()).slice(-1_000).map(({ event }) => event)).to.deep.equal(events.slice(0, 1_000));
    for (const list of [events, [], null, {}, 'x'])
      expectApiError(await post(api, list as unknown[]), 400, 'INVALID_EVENT', ['events']);
  });

  it('rejects events that are not objects, names each, and stores nothing', async () => {
    const before = (await stored()).length;
    const reply = await post(api, [{}, null, [], 'x', 1, true, {}]);
    expectApiError(
      reply,
      400,
      'INVALID_EVENT',
      [1, 2, 3, 4, 5].map((index) => `events[${index}]`),
    );
    expect(await stored()).to.have.length(before);
  });

  it('stores events of nearly 256 KiB in order, and rejects a larger one', async () => {
    const large = (name: string, length: number) => ({ name, text: 'x'.repeat(length) });
    const events = Array.from({ length: 16 }, (_, index) => large(String(index % 10), 262_143 - 22));
    expect((await post(api, events, '\u0001'.repeat(200))).status).to.equal(202);
    expect((await stored()).slice(-16).map(({ event }) => event)).to.deep.equal(events);
    expect((await api.events(stream)).slice(-16).map(({ data }) => (data as DynamicPlaysRecorded).items)).to.deep.equal(
      events.map((event) => [event]),
    );
    expectApiError(await post(api, [{}, large('e', 262_144 - 22)]), 400, 'INVALID_EVENT', ['events[1]']);
  });

  it('stores many small events with a long schema version once', async () => {
    const schemaVersion = '\u0001'.repeat(200);
    const events = Array.from({ length: 1_000 }, (_, index) => ({ index }));
    expect((await post(api, events, schemaVersion)).status).to.equal(202);
    expect((await stored()).slice(-1_000)).to.deep.equal(events.map((event) => ({ schemaVersion, event })));
    expect((await api.events(stream)).at(-1)?.data).to.deep.equal({ schemaVersion, items: events });
  });

  it('responds with the schema version to validate_only', async () => {
    const before = (await stored()).length;
    const validateOnly = { query: '?validate_only=true' };
    const { status, body } = await api.send(dynamicPath, { schemaVersion: 'v2', events: [{}] }, validateOnly);
    expect(status).to.equal(200);
    expect(body).to.deep.include({ eventCount: 1, schemaVersion: 'v2' });
    expect(body.message).to.match(/^Valid; nothing was stored\./);
    expect(await stored()).to.have.length(before);
  });
});

describe('command-api: numbers of dynamic events', () => {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock: { now: () => now }, maxAgeDays: 400 });
  });
  after(() => api.close());

  const kept = [
    '9007199254740992',
    '-9007199254740992',
    '9007199254740994',
    '12345678901234567000',
    '100000000000000000000',
    '1e300',
    '1.7976931348623157e308',
    '5e-324',
    '0.1234567890123456789',
    '3.14159265358979323846e3',
    '-0',
    '"12345678901234567890"',
    '"a \\" 12345678901234567890"',
    '{"12345678901234567890":1}',
  ];
  for (const value of kept)
    it(`stores ${value} unchanged`, async () => {
      expect((await postText(api, `{"a":${value}}`)).status).to.equal(202);
      const [last] = (await api.items(stream)).slice(-1);
      expect(last?.data).to.deep.equal({
        schemaVersion: 'v1',
        // JSON has one zero.
        event: JSON.parse(`{"a":${value === '-0' ? 0 : value}}`) as unknown,
        maxAgeDays: 400,
      });
    });

  for (const value of ['9007199254740993', '-12345678901234567890', '1e309', '-1E+400', '1'.repeat(400)])
    it(`rejects ${value.slice(0, 30)}, which JSON parsing changes`, async () => {
      const reply = await postText(api, '{"a":1}', `{"a":[{"id":"x"},{"id":${value}}]}`, '{"b":2}');
      expectApiError(reply, 400, 'INVALID_EVENT', ['events[1].a[1].id']);
      expect(reply.body.message).to.include('send it as text');
    });

  it('rejects such numbers in the free-form fields of canonical events too', async () => {
    const playedAt = '2026-09-14T11:00:00Z';
    const event = JSON.stringify(play({ context: { order: 1 }, device: { serial: 2 }, playedAt }));
    const lossy = (from: string) =>
      `{"events":[${event},${event.replace(from, `${from.slice(0, -1)}9007199254740993`)}]}`;
    for (const [from, path] of [
      ['"order":1', 'events[1].context.order'],
      ['"serial":2', 'events[1].device.serial'],
    ] as const)
      expectApiError(await api.send(popPath, lossy(from)), 400, 'INVALID_EVENT', [path]);
    const exact = { order: 9007199254740992, share: 0.1234567890123456789 };
    expect((await api.send(popPath, { events: [play({ context: exact, playedAt })] })).status).to.equal(202);
  });
});
