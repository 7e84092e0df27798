import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import {
  type AllStreamSubscription,
  EventStoreDBClient,
  type SubscribeToAllOptions,
  TimeoutError,
} from '@eventstore/db-client';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { startEventStoreNode, type EventStoreNode } from '@popsvc/embedded/event-store';
import { type EventStore, type NewEvent, openEventStore } from '@popsvc/platform/event-store';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';

const newEvent = (): NewEvent => ({
  id: randomUUID(),
  type: 'Recorded',
  data: {},
  metadata: { schemaVersion: 1, receivedAt: '2026-08-20T14:00:00.000Z' },
});

/** What EventStoreDB 23.10.7 sends when it drops a subscription. */
const slowReader = (): TimeoutError => {
  const details = 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.';
  const error: ServiceError = Object.assign(new Error(`10 ABORTED: ${details}`), {
    code: status.ABORTED,
    details,
    metadata: new Metadata(),
  });
  return new TimeoutError(error);
};

/** Behaviour of real servers that the embedded node does not have, injected into the client between the adapter and the node. */
describe('the adapter to the event store, with the behaviour of EventStoreDB', function () {
  let node: EventStoreNode;
  let store: EventStore;
  const counts = { resubscribed: 0, appendFound: 0 };
  const logged: string[] = [];

  before(async () => {
    node = await startEventStoreNode({
      dataDir: await temporaryFolder('adapter'),
      port: 0,
      limits: { timeoutMs: 300 },
    });
    store = openEventStore({
      url: `esdb://127.0.0.1:${node.port}?tls=false`,
      metrics: { resubscribed: () => (counts.resubscribed += 1), appendFound: () => (counts.appendFound += 1) },
      log: { info: (_: unknown, message: string) => logged.push(message) } as never,
    });
  });
  afterEach(() => sinon.restore());
  after(async () => {
    await store.close();
    await node.close();
  });

  type ChangeSubscription = (subscription: AllStreamSubscription, number: number, given: SubscribeToAllOptions) => void;

  const stubSubscriptions = (change: ChangeSubscription): void => {
    let number = 0;
    const stub = sinon.stub(EventStoreDBClient.prototype, 'subscribeToAll');
    stub.callsFake(function (this: EventStoreDBClient, ...given) {
      const subscription = stub.wrappedMethod.apply(this, given);
      change(subscription, (number += 1), given[0]!);
      return subscription;
    });
  };

  type Emit = (name: string | symbol, ...given: unknown[]) => boolean;

  /** Drops `caughtUp`. Returns the function that emits all events. */
  const dropCaughtUp = (subscription: AllStreamSubscription): Emit => {
    const emit = subscription.emit.bind(subscription) as Emit;
    subscription.emit = (name: string | symbol, ...given: unknown[]) => name !== 'caughtUp' && emit(name, ...given);
    return emit;
  };
  const withoutCaughtUp = (): void => stubSubscriptions((subscription) => void dropCaughtUp(subscription));

  it('continues a subscription that the server ended because its reader was too slow, without loss or repetition', async () => {
    const expected: bigint[] = [];
    for (let n = 0; n < 30; n += 1) expected.push((await store.append('slow-1', [newEvent()])).position);
    stubSubscriptions((subscription, number) => {
      if (number > 2) return;
      setTimeout(() => subscription.emit('error', slowReader()), 30);
    });
    const signal = AbortSignal.timeout(60_000);
    const found: bigint[] = [];
    const appendLast = async () => {
      await waitUntil(
        () => Promise.resolve(counts.resubscribed),
        (times) => times === 2,
      );
      await store.append('slow-1', [newEvent()]);
    };
    let last: Promise<void> | undefined;
    for await (const item of store.subscribe({ after: 'start', prefixes: ['slow-'], signal })) {
      if (item.kind === 'caught-up') continue;
      found.push(item.event.position);
      if (found.length === 30) last = appendLast();
      if (found.length === 31) break;
    }
    await last;
    expect(found.slice(0, 30)).to.deep.equal(expected);
    expect(counts.resubscribed).to.equal(2);
    expect(new Set(logged)).to.deep.equal(
      new Set(['event store ended a subscription with a slow reader; subscribing again']),
    );
  });

  it('reports that it has caught up with a server that does not say so', async () => {
    const wanted = (await store.append('wanted-1', [newEvent()])).position;
    for (let n = 0; n < 20; n += 1) await store.append('other-1', Array.from({ length: 100 }, newEvent));
    withoutCaughtUp();
    for (const [prefix, events] of [
      ['wanted-', 1],
      ['nothing-', 0],
    ] as const) {
      const story: string[] = [];
      const signal = AbortSignal.timeout(60_000);
      for await (const item of store.subscribe({ after: 'start', prefixes: [prefix], signal })) {
        story.push(item.kind);
        if (item.kind === 'caught-up') break;
      }
      expect(story).to.deep.equal([...Array<string>(events).fill('event'), 'caught-up']);
    }
    const upTo = await store.readHeadPosition();
    const range: bigint[] = [];
    const signal = AbortSignal.timeout(60_000);
    for await (const item of store.subscribe({ after: 'start', prefixes: ['wanted-', 'nothing-'], signal, upTo }))
      if (item.kind === 'event') range.push(item.event.position);
    expect(signal.aborted).to.equal(false);
    expect(range).to.deep.equal([wanted]);
  });

  it('delivers an event that the server sends long after a checkpoint at its position', async () => {
    const upTo = (await store.append('checkpoint-1', [newEvent()])).position;
    stubSubscriptions((subscription, _, { filter }) => {
      const emit = dropCaughtUp(subscription);
      const read = subscription.read.bind(subscription);
      subscription.read = () => null;
      setTimeout(() => void filter!.checkpointReached!(subscription, { commit: upTo, prepare: upTo }), 30);
      setTimeout(() => {
        subscription.read = read;
        emit('readable');
      }, 500);
    });
    const found: bigint[] = [];
    const signal = AbortSignal.timeout(60_000);
    for await (const item of store.subscribe({ after: 'start', prefixes: ['checkpoint-'], signal, upTo }))
      if (item.kind === 'event') found.push(item.event.position);
    expect(found).to.deep.equal([upTo]);
    expect(signal.aborted).to.equal(false);
  });

  it('reports that it has caught up if the server says so while the log is searched', async () => {
    await store.append('searched-1', [newEvent()]);
    let report: () => void = () => undefined;
    stubSubscriptions((subscription) => {
      const emit = dropCaughtUp(subscription);
      report = () => void emit('caughtUp');
    });
    sinon.stub(EventStoreDBClient.prototype, 'readAll').callsFake(() => {
      report();
      report = () => undefined;
      throw new Error('the search failed');
    });
    const story: string[] = [];
    for await (const item of store.subscribe({
      after: 'start',
      prefixes: ['searched-'],
      signal: AbortSignal.timeout(60_000),
    })) {
      story.push(item.kind);
      if (item.kind === 'caught-up') break;
    }
    expect(story).to.deep.equal(['event', 'caught-up']);
  });

  it('finds an append that the server did not confirm in time, instead of failing', async () => {
    const first = await store.append('append-1', [newEvent()]);
    const events = [newEvent(), newEvent()];
    const held: (() => void)[] = [];
    const sync = fs.fdatasync.bind(fs);
    sinon.stub(fs, 'fdatasync').callsFake((fd, callback) => void held.push(() => sync(fd, callback)));
    const { appendFound } = counts;
    const search = sinon.spy(EventStoreDBClient.prototype, 'readStream');
    const appending = store.append('append-1', events);
    // The search shows that the server has rejected the append.
    await waitUntil(
      () => Promise.resolve(search.callCount),
      (searches) => searches > 0,
    );
    sinon.restore();
    for (const release of held) release();
    const { revision, position } = await appending;
    expect([first.revision, revision]).to.deep.equal([0n, 2n]);
    expect((await store.readEventAt(position))?.id).to.equal(events[1]!.id);
    expect(counts.appendFound).to.equal(appendFound + 1);
  });
});
