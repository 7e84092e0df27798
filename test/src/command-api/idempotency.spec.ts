import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ApiError } from '@popsvc/contracts/errors';
import { intakeStream } from '@popsvc/contracts/events';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { waitUntil } from '@popsvc/tools/rig';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { createGate } from './gate.fixture.ts';
import { registerPlaces } from './registry.fixture.ts';
import { detection, detectionPath, expectApiError, play, popPath } from './sender.fixture.ts';

const day = Date.parse('2026-09-14T23:59:58.000Z');
const late = (over = {}) => play({ playedAt: '2026-09-14T12:00:00Z', ...over });
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

describe('command-api: retries with an idempotency key', () => {
  let now = day;
  let api: TestCommandApi;
  let stumble: 'no' | 'before' | 'after' = 'no';
  let failure: Error = new EventStoreUnavailable('stumbled');
  /** Called before each append, which waits for the result. */
  let beforeAppend = () => Promise.resolve();
  before(async () => {
    const between = (real: EventStore): EventStore => ({
      ...real,
      async append(stream, events, options) {
        const how = stumble;
        await beforeAppend();
        if (how === 'before') throw failure;
        const appended = await real.append(stream, events, options);
        if (how === 'after') throw failure;
        return appended;
      },
    });
    api = await commandApi({ clock: { now: () => now }, between });
    await registerPlaces(api.store);
  });
  beforeEach(() => {
    [now, stumble] = [day, 'no'];
    failure = new EventStoreUnavailable('stumbled');
    beforeAppend = () => Promise.resolve();
  });
  after(() => api.close());

  const stored = async (ms = day) => (await api.items(intakeStream('pop', 1, 'acme', ms))).length;

  it('appends nothing and receives the same response, marked as replayed, on the next day too', async () => {
    const body = { events: [late(), late()] };
    const first = await api.send(popPath, body, keyed('again'));
    expect(first.status).to.equal(202);
    expect(first.headers.get('idempotency-replayed')).to.equal(null);
    const before = await stored();
    for (const then of [day + 1_000, day + 3_600_000]) {
      now = then;
      const second = await api.send(popPath, body, keyed('again'));
      expect({ status: second.status, body: second.body }).to.deep.equal({ status: 202, body: first.body });
      expect(second.headers.get('idempotency-replayed')).to.equal('true');
    }
    expect(await stored()).to.equal(before);
    expect(await stored(day + 3_600_000)).to.equal(0);
  });

  it('receives 409 with any other body', async () => {
    const event = late();
    await api.send(popPath, { events: [event] }, keyed('other'));
    expectApiError(await api.send(popPath, `{"events": [${JSON.stringify(event)}]}`, keyed('other')), 409, 'CONFLICT');
    expectApiError(await api.send(popPath, { events: [late()] }, keyed('other')), 409, 'CONFLICT');
  });

  it('is a new request with another key, on another route or with another credential', async () => {
    const body = { events: [late()] };
    const other = await api.newKey();
    const before = await stored();
    for (const send of [
      () => api.send(popPath, body, keyed('mine')),
      () => api.send(popPath, body, keyed('mine too')),
      () => other.send(popPath, body, keyed('mine')),
    ]) {
      const { status, headers } = await send();
      expect({ status, replayed: headers.get('idempotency-replayed') }).to.deep.equal({ status: 202, replayed: null });
    }
    expect(await stored()).to.equal(before + 3);
    expect((await api.send(detectionPath, { detections: [detection()] }, keyed('mine'))).status).to.equal(202);
  });

  it('is executed once when ten attempts arrive at the same time', async () => {
    const body = { events: [late(), late()] };
    const before = await stored();
    const replies = await Promise.all(Array.from({ length: 10 }, () => api.send(popPath, body, keyed('at once'))));
    expect(replies.map(({ status }) => status)).to.deep.equal(Array.from({ length: 10 }, () => 202));
    expect(new Set(replies.map(({ body }) => JSON.stringify(body)))).to.have.property('size', 1);
    expect(replies.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).to.have.length(9);
    expect(await stored()).to.equal(before + 2);
  });

  it('waits for the first attempt and receives 409 with Retry-After after its wait', async () => {
    const impatient = await commandApi({ databaseUrl: api.databaseUrl, timeouts: { earlierAttemptMs: 1_000 } });
    const body = { events: [late()] };
    await api.postgres.query(
      `INSERT INTO idempotency_keys (credential, route, key, body_hash, stream, received_at, running_until)
       SELECT id::text, $1, 'running', sha256($2), 's', now(), now() + interval '1 hour' FROM api_keys ORDER BY created_at DESC LIMIT 1`,
      [popPath, Buffer.from(JSON.stringify(body))],
    );
    const began = performance.now();
    const reply = await impatient.send(popPath, body, keyed('running'));
    expect(performance.now() - began).to.be.greaterThan(900);
    expectApiError(reply, 409, 'CONFLICT');
    expect(reply.headers.get('retry-after')).to.match(/^\d+$/);
    await impatient.close();
  });

  it('receives the response of a slow first attempt', async () => {
    const body = { events: [late()] };
    const [appending, append] = [createGate(), createGate()];
    beforeAppend = () => {
      appending.open();
      return append.opened;
    };
    const first = api.send(popPath, body, keyed('slow'));
    await appending.opened;
    const waiting = api.send(popPath, body, keyed('slow'));
    await sleep(300);
    append.open();
    const second = await waiting;
    expect(second.headers.get('idempotency-replayed')).to.equal('true');
    expect(second.body).to.deep.equal((await first).body);
  });

  /** Until a ping of the event store succeeds, every request receives 503. */
  const sendUntilAvailable = (body: object, key: string) =>
    waitUntil(
      () => api.send(popPath, body, keyed(key)),
      ({ status }) => status !== 503,
    );

  for (const [how, failed, status] of [
    ['before', 'a failure of the event store', 503],
    ['after', 'a failure of the event store', 503],
    ['after', 'an unexpected error', 500],
  ] as const)
    it(`continues an attempt with ${failed} ${how} its append, in the stream of the first attempt`, async () => {
      const [key, body] = [`${failed} ${how}`, { events: [late(), late(), late()] }];
      const before = await stored();
      stumble = how;
      if (status === 500) failure = new Error('broken');
      expect((await api.send(popPath, body, keyed(key))).status).to.equal(status);
      [now, stumble] = [day + 3_600_000, 'no'];
      expectApiError(await sendUntilAvailable({ events: [late()] }, key), 409, 'CONFLICT');
      const reply = await sendUntilAvailable(body, key);
      expect(reply.status).to.equal(202);
      expect(reply.body.acceptedAt).to.equal(new Date(day).toISOString());
      expect(await stored()).to.equal(before + 3);
      expect(await stored(day + 3_600_000)).to.equal(0);
      const { headers } = await api.send(popPath, body, keyed(key));
      expect(headers.get('idempotency-replayed')).to.equal('true');
    });

  it('binds the key to its body when a rejection follows an attempt with unknown outcome', async () => {
    const body = { events: [late()] };
    stumble = 'before';
    expectApiError(await api.send(popPath, body, keyed('bound')), 503, 'UNAVAILABLE');
    failure = new ApiError('INVALID_REQUEST', 'too late');
    expectApiError(await sendUntilAvailable(body, 'bound'), 400, 'INVALID_REQUEST');
    stumble = 'no';
    expectApiError(await api.send(popPath, { events: [late()] }, keyed('bound')), 409, 'CONFLICT');
    expect((await api.send(popPath, body, keyed('bound'))).status).to.equal(202);
  });

  it('is a new request after a rejection', async () => {
    expectApiError(
      await api.send(popPath, { events: [late({ durationMs: 0 })] }, keyed('corrected')),
      400,
      'INVALID_EVENT',
    );
    expect((await api.send(popPath, { events: [late()] }, keyed('corrected'))).status).to.equal(202);
  });

  it('receives the stored response when its events have become too old', async () => {
    const body = { events: [late({ playedAt: '2026-09-15T23:59:58Z' })] };
    expect((await api.send(popPath, body, keyed('from tomorrow'))).status).to.equal(202);
    now = day - 1;
    expectApiError(await api.send(popPath, body), 400, 'INVALID_EVENT');
    expect((await api.send(popPath, body, keyed('from tomorrow'))).status).to.equal(202);
  });

  it('is a new request after 24 h', async () => {
    const body = { events: [late()] };
    await api.send(popPath, body, keyed('old'));
    await api.postgres.query(
      `UPDATE idempotency_keys SET created_at = created_at - interval '24 hours 1 second' WHERE key = 'old'`,
    );
    const reply = await api.send(popPath, { events: [late()] }, keyed('old'));
    expect({ status: reply.status, replayed: reply.headers.get('idempotency-replayed') }).to.deep.equal({
      status: 202,
      replayed: null,
    });
  });

  it('accepts keys of 1 to 255 characters', async () => {
    expect((await api.send(popPath, { events: [late()] }, keyed('k'.repeat(255)))).status).to.equal(202);
    for (const key of ['k'.repeat(256), ''])
      expectApiError(await api.send(popPath, { events: [late()] }, keyed(key)), 400, 'INVALID_REQUEST', [
        'Idempotency-Key',
      ]);
  });

  it('is a new request after validate_only', async () => {
    const body = { events: [late()] };
    expect(
      (await api.send(popPath, body, { ...keyed('validate only'), query: '?validate_only=true' })).status,
    ).to.equal(200);
    const { status, headers } = await api.send(popPath, body, keyed('validate only'));
    expect({ status, replayed: headers.get('idempotency-replayed') }).to.deep.equal({ status: 202, replayed: null });
  });

  it('without a key is accepted again with event ids of its own', async () => {
    const body = { events: [late(), late()] };
    const before = await stored();
    expect((await api.send(popPath, body)).status).to.equal(202);
    expect((await api.send(popPath, body)).status).to.equal(202);
    const ids = (await api.items(intakeStream('pop', 1, 'acme', day))).slice(before).map(({ eventId }) => eventId);
    expect(ids).to.have.length(4);
    expect(new Set(ids), 'one event a request').to.have.property('size', 2);
  });

  it('accepts two requests that share some events but not all', async () => {
    const [a, b, c] = [late(), late(), late()];
    expect((await api.send(popPath, { events: [a, b] })).status).to.equal(202);
    expect((await api.send(popPath, { events: [b, c] })).status).to.equal(202);
  });
});
