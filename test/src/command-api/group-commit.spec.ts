import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { intakeStream, type PlaysRecorded } from '@popsvc/contracts/events';
import {
  type EventStore,
  EventStoreRejected,
  EventStoreUnavailable,
  type NewEvent,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestCollector } from '../support/collector.ts';
import { sendingTo } from '../tracing/tracing.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { createGate } from './gate.fixture.ts';
import { expectApiError, play, popPath, type Reply } from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const stream = intakeStream('pop', 1, 'acme', now);
const event = (over = {}) => play({ playedAt: '2026-09-14T11:00:00Z', ...over });
const idOf = ({ data }: { readonly data: unknown }) => (data as { eventId: string }).eventId;
const idsOf = ({ data }: { readonly data: unknown }) => (data as PlaysRecorded).plays.map(({ eventId }) => eventId);

interface Call {
  readonly stream: string;
  readonly events: readonly NewEvent[];
}

describe('command-api: group commit', () => {
  let api: TestCommandApi;
  const calls: Call[] = [];
  let trouble: (call: Call) => Error | undefined = () => undefined;
  /** Holds each append call until it resolves. */
  let released: Promise<void> | undefined;
  const between = (real: EventStore): EventStore => ({
    ...real,
    async append(to, events) {
      calls.push({ stream: to, events });
      await released;
      const error = trouble({ stream: to, events });
      if (error) throw error;
      return real.append(to, events);
    },
  });
  before(async () => {
    api = await commandApi({ clock: { now: () => now }, between });
    await api.send(popPath, { events: [event()] });
  });
  beforeEach(() => {
    calls.length = 0;
    trouble = () => undefined;
    released = undefined;
  });
  after(() => api.close());

  const untilWaiting = ({ metrics }: TestCommandApi, requests: number) =>
    waitUntil(
      () => metrics.metrics(),
      (text) => new RegExp(`^popsvc_append_queue_requests(\\{.*\\})? ${requests}$`, 'm').test(text),
    );
  /** Sends all requests, and holds the first append call until the others wait for the next one. */
  const sendTogether = async (send: readonly (() => Promise<Reply>)[]) => {
    const gate = createGate();
    released = gate.opened;
    const replies = Promise.all(send.map((one) => one()));
    await untilWaiting(api, send.length);
    gate.open();
    return replies;
  };
  const sendAll = (requests: readonly (readonly unknown[])[]) =>
    sendTogether(requests.map((events) => () => api.send(popPath, { events })));

  it('sends concurrent requests in few calls, each request whole and in order', async () => {
    const requests = Array.from({ length: 60 }, () => [event(), event(), event()]);
    const replies = await sendAll(requests);
    expect(replies.map(({ status }) => status)).to.deep.equal(requests.map(() => 202));
    expect(calls.length).to.be.at.most(2);
    expect(Math.max(...calls.map(({ events }) => events.length))).to.be.greaterThan(1);
    expect(calls.flatMap(({ events }) => events)).to.have.length(requests.length);
    const stored = (await api.items(stream)).map(idOf);
    for (const request of requests) {
      const ids = request.map(({ eventId }) => eventId);
      const at = stored.indexOf(ids[0]!);
      expect(stored.slice(at, at + 3)).to.deep.equal(ids);
    }
  });

  it('gives each request of a rejected group its own outcome', async () => {
    const requests = Array.from({ length: 40 }, () => [event(), event()]);
    const spoilt = requests[25]![0]!.eventId;
    // The event store rejects the group as a whole; sent alone, only the spoilt request fails.
    trouble = ({ events }) => {
      if (!events.some((one) => idsOf(one).includes(spoilt))) return undefined;
      return events.length > 1 ? new WrongExpectedVersion('known in part') : new Error('spoilt');
    };
    const replies = await sendAll(requests);
    expect(replies.map(({ status }) => status)).to.deep.equal(requests.map((_, index) => (index === 25 ? 500 : 202)));
    const stored = new Set((await api.items(stream)).map(idOf));
    requests.flat().forEach(({ eventId }, index) => expect(stored.has(eventId)).to.equal(Math.floor(index / 2) !== 25));
  });

  it('stores the missing events of an append that the event store recognizes in part', async () => {
    trouble = ({ events }) => (events.length > 1 ? new WrongExpectedVersion('known in part') : undefined);
    // Three events of 256 KiB in one append.
    const events = Array.from({ length: 3 }, () => event({ context: { text: 'x'.repeat(200_000) } }));
    expect((await api.send(popPath, { events })).status).to.equal(202);
    expect(calls.map((call) => call.events.length)).to.deep.equal([3, 1, 1, 1]);
    expect((await api.items(stream)).slice(-3).map(idOf)).to.deep.equal(events.map(({ eventId }) => eventId));
  });

  it('rejects at once only the requests that the event store can never store', async () => {
    const requests = Array.from({ length: 20 }, () => [event(), event()]);
    const [large, wrong] = [requests[7]![0]!.eventId, requests[11]![1]!.eventId];
    trouble = ({ events }) => {
      const ids = new Set(events.flatMap(idsOf));
      if (ids.has(large)) return new EventStoreRejected('too-large', 'takes less');
      return ids.has(wrong) ? new EventStoreRejected('invalid', 'takes other things') : undefined;
    };
    const replies = await sendAll(requests);
    expectApiError(replies[7]!, 413, 'PAYLOAD_TOO_LARGE');
    expectApiError(replies[11]!, 500, 'INTERNAL');
    const others = replies.filter((_, index) => index !== 7 && index !== 11);
    expect(new Set(others.map(({ status }) => status))).to.deep.equal(new Set([202]));
    const stored = new Set((await api.items(stream)).map(idOf));
    for (const id of [large, wrong]) expect(stored.has(id)).to.equal(false);
    // The event store is available, so other requests are still accepted.
    expect((await api.send(popPath, { events: [event()] })).status).to.equal(202);
  });

  it('never puts more than 256 KiB of items into an event, and more than 500 events or 1 MiB into a call', async () => {
    const text = 'x'.repeat(4_000);
    await sendAll(Array.from({ length: 20 }, () => Array.from({ length: 50 }, () => event({ context: { text } }))));
    await sendAll(Array.from({ length: 30 }, () => Array.from({ length: 50 }, () => event())));
    for (const { events } of calls) {
      expect(events.length).to.be.at.most(500);
      for (const { data } of events)
        expect(Buffer.byteLength(JSON.stringify((data as PlaysRecorded).plays))).to.be.at.most(262_144 + 1);
      const bytes = events.map(
        ({ data, metadata, type }) => JSON.stringify(data) + JSON.stringify(metadata) + type + type,
      );
      expect(Buffer.byteLength(bytes.join(''))).to.be.at.most(1_048_576);
    }
    expect(calls.length).to.be.lessThan(20);
  });

  it('does not send a request that waited too long, and does not report the event store as unavailable', async () => {
    const hasty = await commandApi({ clock: { now: () => now }, between, timeouts: { appendMs: 5_000 } });
    const gate = createGate();
    released = gate.opened;
    const first = hasty.send(popPath, { events: [event()] });
    await waitUntil(
      () => Promise.resolve(calls),
      ({ length }) => length === 1,
    );
    const second = hasty.send(popPath, { events: [event()] });
    await untilWaiting(hasty, 2);
    // A call is made only if at least 1 s is left for it.
    await sleep(4_100);
    gate.open();
    expectApiError(await second, 503, 'UNAVAILABLE');
    expect((await first).status).to.equal(202);
    expect(calls).to.have.length(1);
    expect((await hasty.send(popPath, { events: [event()] })).status).to.equal(202);
    await hasty.close();
  });

  it('cuts a request over 1 MiB into several calls, in order, and can be repeated when one fails', async () => {
    const events = Array.from({ length: 900 }, () => event({ context: { text: 'ä'.repeat(2_000) } }));
    const body = JSON.stringify({ events });
    expect(Buffer.byteLength(body)).to.be.within(3.5 * 1_048_576, 5 * 1_048_576);
    const before = (await api.items(stream)).length;
    trouble = () => (calls.length === 3 ? new EventStoreUnavailable('cut off') : undefined);
    const headers = { 'Idempotency-Key': 'cut' };
    const cut = await api.send(popPath, body, { headers: { ...headers, 'X-Request-Id': 'short' } });
    expectApiError(cut, 503, 'UNAVAILABLE');
    expect(cut.headers.get('retry-after')).to.match(/^\d+$/);
    expect((await api.items(stream)).length).to.be.within(before + 1, before + 899);
    trouble = () => undefined;
    let reply = cut;
    while (reply.status === 503)
      reply = await api.send(popPath, body, {
        headers: { ...headers, 'X-Request-Id': 'a-longer-request-id-than-the-first'.repeat(3) },
      });
    expect({ status: reply.status, count: reply.body.eventCount }).to.deep.equal({ status: 202, count: 900 });
    expect((await api.items(stream)).slice(before).map(idOf)).to.deep.equal(events.map(({ eventId }) => eventId));
  });

  it('appends events of each vendor and day to their own stream', async () => {
    const other = await api.newKey(1, 'other');
    await Promise.all([api.send(popPath, { events: [event()] }), other.send(popPath, { events: [event()] })]);
    expect(calls.map((call) => call.stream).sort()).to.deep.equal(
      [stream, intakeStream('pop', 1, 'other', now)].sort(),
    );
  });

  it('records an append in the trace of its first request, links the others, and stores the trace context', async () => {
    const to = await startTestCollector();
    const traces = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32));
    await sendingTo(to, () =>
      sendTogether(
        traces.map((trace) => () => {
          const headers = { traceparent: `00-${trace}-${'1'.repeat(16)}-01` };
          return api.send(popPath, { events: [event()] }, { headers });
        }),
      ),
    );
    await to.stop();
    const spans = to.spans();
    const requests = spans.filter(({ name }) => name === `POST ${popPath}`);
    expect(requests.map(({ traceId }) => traceId)).to.have.members(traces);
    const groups = spans.filter(({ name }) => name === 'append group');
    for (const { traceId, parentSpanId } of groups)
      expect(requests.find(({ spanId }) => spanId === parentSpanId)?.traceId).to.equal(traceId);
    expect(groups.flatMap(({ traceId, links }) => [traceId, ...links])).to.have.members(traces);
    expect(groups.length, 'appends').to.be.below(4);
    const appended = spans.filter(({ name }) => name === 'eventstoredb append');
    expect(appended.map(({ parentSpanId }) => parentSpanId)).to.have.members(groups.map(({ spanId }) => spanId));
    const logged = (await api.items(stream)).slice(-4).map(({ metadata }) => metadata.correlationId);
    expect(logged).to.have.members(requests.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
  });
});
