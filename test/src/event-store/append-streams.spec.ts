import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, EventStoreUnavailable, openEventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.fixture.ts';
import { newStream, urlUnderTest } from './store.fixture.ts';

const metadata = { schemaVersion: 1, receivedAt: '2026-09-14T12:00:00.000Z' };
const newEvent = (text = '') => ({ id: randomUUID(), type: 'Appended', data: { text }, metadata });

/** Mocha fails a test during which an exception is thrown in an event listener, or a rejection has no handler. */
describe('appends through a connection that breaks', () => {
  let ways: FaultProxy[];
  let stores: EventStore[];
  beforeEach(async () => {
    ways = [await startFaultProxy(await urlUnderTest()), await startFaultProxy(await urlUnderTest())];
    stores = ways.map(({ url }) => openEventStore({ url }));
    await Promise.all(stores.map((store) => store.append(newStream(), [newEvent()])));
  });
  afterEach(async () => {
    for (const way of ways) way.heal();
    await Promise.all(stores.map((store) => store.close()));
    await Promise.all(ways.map((way) => way.close()));
  });
  const outcomeOf = (append: Promise<unknown>) =>
    append.then(
      () => 'stored',
      (error: unknown) => error,
    );
  const holdResponses = (way: FaultProxy) => way.disturb({ back: { isBlackHole: true } });

  it('ignores a response that arrives after the stream of another client has failed, and stores the event once', async () => {
    const [stream, event] = [newStream(), newEvent()];
    for (const way of ways) holdResponses(way);
    const broken = outcomeOf(stores[0]!.append(newStream(), [newEvent()]));
    const unrelated = outcomeOf(stores[1]!.append(stream, [event], { expected: 'no_stream' }));
    await sleep(200);
    ways[0]!.cut();
    expect(await broken).to.be.instanceOf(EventStoreUnavailable);
    expect(await unrelated).to.be.instanceOf(EventStoreUnavailable);
    ways[1]!.heal();
    await sleep(500);
    await stores[1]!.append(stream, [event], { expected: 'no_stream' });
    let stored = 0;
    for await (const { id } of stores[1]!.readStream(stream)) stored += Number(id === event.id);
    expect(stored).to.equal(1);
  });

  it('rejects appends that are larger than the connection accepts at once', async () => {
    ways[0]!.disturb({ there: { isBlackHole: true } });
    const large = Array.from({ length: 30 }, () =>
      outcomeOf(stores[0]!.append(newStream(), [newEvent('x'.repeat(500_000))])),
    );
    await sleep(500);
    ways[0]!.cut();
    for (const outcome of await Promise.all(large)) expect(outcome).to.be.instanceOf(EventStoreUnavailable);
  });
});
