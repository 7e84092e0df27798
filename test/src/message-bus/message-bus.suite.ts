import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BulkIngestQueued, BulkRowsIngested, UploadRequested } from '@popsvc/contracts/events';
import type { MessageBus, BusMetrics, Delivery } from '@popsvc/platform/message-bus';
import { expect } from 'chai';
import { consumerOf, type TestStores, startConsumer, type TestConsumer, appendEvents, waitFor } from './bus.fixture.ts';

export interface BusUnderTest {
  readonly stores: TestStores;
  /** Opens a bus like another process does. */
  open(metrics?: BusMetrics): MessageBus;
  close(): Promise<void>;
}

export interface BusSuiteOptions {
  /** Number of messages of the test with many; default 10,000. */
  readonly messages?: number;
  /** Whether a test holds a message for longer than its timeout; default true. On a stalled machine it may fail. */
  readonly isTimed?: boolean;
}

/** The behaviour of every message bus. */
export const busSuite = (
  openSystem: () => Promise<BusUnderTest>,
  { messages = 10_000, isTimed = true }: BusSuiteOptions = {},
): void => {
  let system: BusUnderTest;
  let consumers: TestConsumer[];
  before(async () => (system = await openSystem()));
  beforeEach(() => (consumers = []));
  afterEach(() => Promise.all(consumers.map((testConsumer) => testConsumer.stop())));
  after(() => system.close());

  const start = (...given: Parameters<typeof startConsumer>): TestConsumer => {
    const testConsumer = startConsumer(...given);
    consumers.push(testConsumer);
    return testConsumer;
  };
  const append = (count: number, type?: string) => appendEvents(system.stores.store, count, type);
  /** Waits long enough for an unexpected delivery to arrive. */
  const quiet = (ms = 300) => sleep(ms);

  it('delivers each event of the consumed types as it is in the log, and no other', async () => {
    const { received, ids } = start(system.open(), consumerOf());
    await append(3, BulkRowsIngested.type);
    const wanted = await append(5);
    await append(3, UploadRequested.type);
    await waitFor('all messages arrive', () => ids().length >= wanted.length);
    await quiet();
    expect(ids()).to.have.members(wanted);
    const { id, type, stream, data, metadata, deliveries } = received[0]!;
    expect({ type, data, deliveries }).to.deep.equal({ type: BulkIngestQueued.type, data: { n: 0 }, deliveries: 1 });
    expect(id).to.equal(wanted[0]);
    expect(stream).to.match(/^bulkJob-/);
    expect(metadata).to.include({ schemaVersion: 1, network: 7, vendor: 'acme' });
  });

  it('delivers several types to one consumer', async () => {
    const { ids } = start(
      system.open(),
      consumerOf({ types: [BulkIngestQueued.type, BulkRowsIngested.type], maxInFlight: 1 }),
    );
    const wanted = [...(await append(2)), ...(await append(2, BulkRowsIngested.type))];
    await waitFor('all messages arrive', () => wanted.every((id) => ids().includes(id)));
  });

  it('delivers events that were appended before the consumer started', async () => {
    const wanted = await append(20);
    const { ids } = start(system.open(), consumerOf());
    await waitFor('all messages arrive', () => wanted.every((id) => ids().includes(id)));
  });

  it('delivers each message to one process of a consumer, and to every consumer', async () => {
    const shared = consumerOf({ maxInFlight: 2, ackTimeoutMs: 60_000 });
    // A process that has as many messages as it handles at a time leaves the others to the other process.
    const seen = new Set<string>();
    let open = () => {};
    const bothReceive = new Promise<void>((resolve) => (open = resolve));
    const shareWith = (process: string) => async (delivery: Delivery) => {
      if (seen.add(process).size === 2) open();
      await bothReceive;
      await delivery.acknowledge();
    };
    const one = start(system.open(), shared, shareWith('one'));
    const other = start(system.open(), shared, shareWith('other'));
    const another = start(system.open(), consumerOf());
    const wanted = await append(200);
    const mine = ({ received }: TestConsumer) => received.filter(({ id }) => wanted.includes(id));
    await waitFor(
      'all messages arrive',
      () => mine(one).length + mine(other).length >= 200 && mine(another).length >= 200,
    );
    await quiet(200);
    expect([...mine(one), ...mine(other)].map(({ id }) => id)).to.have.members(wanted);
    expect(mine(another).map(({ id }) => id)).to.have.members(wanted);
  });

  it('redelivers an unacknowledged message to another process after the timeout', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 1_000, maxDeliveries: 1_000 });
    const [id = ''] = await append(1);
    const startedAt = performance.now();
    const lost = start(system.open(), { ...consumer, maxInFlight: 1_000 }, () => Promise.resolve());
    await waitFor('the message is delivered', () => lost.ids().includes(id));
    const dead = lost.stop();
    const successor = start(system.open(), consumer);
    await waitFor('the message is redelivered', () => successor.ids().includes(id));
    expect(performance.now() - startedAt).to.be.at.least(950);
    expect(successor.received.find((delivery) => delivery.id === id)?.deliveries).to.be.greaterThan(1);
    await dead;
  });

  if (isTimed)
    it('does not redeliver a message whose timeout is extended', async () => {
      const consumer = consumerOf({ ackTimeoutMs: 4_000, maxInFlight: 1_000 });
      const [id = ''] = await append(1);
      const slowHandler = async (delivery: Delivery) => {
        for (let spent = 0; delivery.id === id && spent < 6_000; spent += 250) {
          await delivery.extendAckTimeout();
          await sleep(250);
        }
        await delivery.acknowledge();
      };
      const both = [start(system.open(), consumer, slowHandler), start(system.open(), consumer, slowHandler)];
      const times = () => both.flatMap(({ received }) => received).filter((delivery) => delivery.id === id).length;
      await waitFor('the message is delivered', () => times() > 0);
      await quiet(7_000);
      expect(times()).to.equal(1);
    });

  it('redelivers a message after the requested delay', async () => {
    const [id = ''] = await append(1);
    const at: number[] = [];
    const consumer = consumerOf({ maxInFlight: 1_000, ackTimeoutMs: 60_000 });
    const { received } = start(system.open(), consumer, async (delivery) => {
      if (delivery.id === id) at.push(performance.now());
      await (delivery.id === id && delivery.deliveries === 1 ? delivery.redeliverAfter(700) : delivery.acknowledge());
    });
    await waitFor('the message is redelivered', () => at.length === 2);
    expect(at[1]! - at[0]!).to.be.at.least(650);
    await quiet();
    expect(received.filter((delivery) => delivery.id === id).map(({ deliveries }) => deliveries)).to.deep.equal([1, 2]);
  });

  it('dead-letters a message that no delivery can handle, and delivers the others', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 60_000, maxDeliveries: 3 });
    const dead: string[] = [];
    const metrics = { delivered: () => undefined, deadLettered: (name: string) => void dead.push(name) };
    const [poison = '', ...others] = await append(3);
    const { received, ids } = start(system.open(metrics), consumer, (delivery) =>
      delivery.id === poison ? Promise.reject(new Error('cannot be handled')) : delivery.acknowledge(),
    );
    await waitFor('the message is a dead letter', () => dead.length > 0);
    await quiet();
    expect(dead).to.deep.equal([consumer.name]);
    expect(received.filter(({ id }) => id === poison).map(({ deliveries }) => deliveries)).to.deep.equal([1, 2, 3]);
    expect(ids()).to.include.members(others);
    await consumers.pop()!.stop();
    const again = start(system.open(), consumer);
    const [next = ''] = await append(1);
    await waitFor('the next message arrives', () => again.ids().includes(next));
    expect(again.ids()).to.not.include(poison);
  });

  it('continues a consumer of the same name where it stopped', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 30_000 });
    const first = await append(5);
    const one = start(system.open(), consumer);
    await waitFor('all messages arrive', () => first.every((id) => one.ids().includes(id)));
    await one.stop();
    const second = await append(5);
    const two = start(system.open(), consumer);
    await waitFor('all messages arrive', () => second.every((id) => two.ids().includes(id)));
    await quiet();
    expect(two.ids()).to.have.members(second);
  });

  it('handles at most maxInFlight messages at a time, and waits for them when it stops', async () => {
    let [now, most, done] = [0, 0, 0];
    let open = () => {};
    const threeAtATime = new Promise<void>((resolve) => (open = resolve));
    const testConsumer = start(system.open(), consumerOf({ maxInFlight: 3 }), async (delivery) => {
      most = Math.max(most, (now += 1));
      if (now === 3) open();
      await threeAtATime;
      await sleep(20);
      await delivery.acknowledge();
      [now, done] = [now - 1, done + 1];
    });
    await append(30);
    await waitFor('some are done', () => done >= 10);
    await testConsumer.stop();
    expect([now, most]).to.deep.equal([0, 3]);
    const atStop = done;
    await quiet();
    expect(done).to.equal(atStop);
  });

  it(`loses none of ${messages} messages`, async function () {
    const consumer = consumerOf({ maxInFlight: 64, name: `many-${randomUUID()}` });
    const wanted = await append(messages);
    const startedAt = performance.now();
    const both = [start(system.open(), consumer), start(system.open(), consumer)];
    const missing = new Set(wanted);
    const areAllReceived = () => {
      for (const { received } of both) for (const { id } of received.splice(0)) missing.delete(id);
      return missing.size === 0;
    };
    // As long as the test may take.
    await waitFor('all messages arrive', areAllReceived, 170_000);
    const perSecond = Math.round((wanted.length / (performance.now() - startedAt)) * 1_000);
    this.test!.title += ` (${perSecond}/s)`;
  });
};
