import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BulkIngestQueued, BulkRowsIngested, UploadRequested } from '@popsvc/contracts/events';
import type { MessageBus, BusMetrics, Delivery } from '@popsvc/platform/message-bus';
import { expect } from 'chai';
import { consumerOf, type Ground, listen, type Listener, tell, until } from './buses.fixture.ts';

export interface BusUnderTest {
  readonly ground: Ground;
  /** As another process would have it. */
  open(metrics?: BusMetrics): MessageBus;
  close(): Promise<void>;
}

/** What every bus does, whatever it is made of. */
export const busSuite = (start: () => Promise<BusUnderTest>): void => {
  let system: BusUnderTest;
  let listeners: Listener[];
  before(async () => (system = await start()));
  beforeEach(() => (listeners = []));
  afterEach(() => Promise.all(listeners.map((listener) => listener.stop())));
  after(() => system.close());

  const listening = (...given: Parameters<typeof listen>): Listener => {
    const listener = listen(...given);
    listeners.push(listener);
    return listener;
  };
  const told = (count: number, type?: string) => tell(system.ground.store, count, type);
  /** Long enough for what should not come to have come. */
  const quiet = (ms = 600) => sleep(ms);

  it('brings each event that is wanted, as it stands in the log, and no other', async () => {
    const { heard, ids } = listening(system.open(), consumerOf());
    await told(3, BulkRowsIngested.type);
    const wanted = await told(5);
    await told(3, UploadRequested.type);
    await until('all are heard', () => ids().length >= wanted.length);
    await quiet();
    expect(ids()).to.have.members(wanted);
    const { id, type, stream, data, metadata, deliveries } = heard[0]!;
    expect({ type, data, deliveries }).to.deep.equal({ type: BulkIngestQueued.type, data: { n: 0 }, deliveries: 1 });
    expect(id).to.equal(wanted[0]);
    expect(stream).to.match(/^bulkJob-/);
    expect(metadata).to.include({ schemaVersion: 1, network: 7, vendor: 'acme' });
  });

  it('brings several types to one consumer', async () => {
    const { ids } = listening(
      system.open(),
      consumerOf({ types: [BulkIngestQueued.type, BulkRowsIngested.type], maxInFlight: 1 }),
    );
    const wanted = [...(await told(2)), ...(await told(2, BulkRowsIngested.type))];
    await until('all are heard', () => wanted.every((id) => ids().includes(id)));
  });

  it('brings what was told before anybody asked', async () => {
    const wanted = await told(20);
    const { ids } = listening(system.open(), consumerOf());
    await until('all are heard', () => wanted.every((id) => ids().includes(id)));
  });

  it('brings each message to one of the processes of a consumer, and to every consumer', async () => {
    const shared = consumerOf({ maxInFlight: 2 });
    const slowly = async (delivery: Delivery) => {
      await sleep(5);
      await delivery.acknowledge();
    };
    const one = listening(system.open(), shared, slowly);
    const other = listening(system.open(), shared, slowly);
    const another = listening(system.open(), consumerOf());
    const wanted = await told(200);
    const mine = ({ heard }: Listener) => heard.filter(({ id }) => wanted.includes(id));
    await until('all are heard', () => mine(one).length + mine(other).length >= 200 && mine(another).length >= 200);
    await quiet(200);
    expect([...mine(one), ...mine(other)].map(({ id }) => id)).to.have.members(wanted);
    expect(Math.min(mine(one).length, mine(other).length)).to.be.greaterThan(20);
    expect(mine(another).map(({ id }) => id)).to.have.members(wanted);
  });

  it('brings what a consumer left undone to another one, after its patience', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 1_000 });
    const [id = ''] = await told(1);
    const lost = listening(system.open(), { ...consumer, maxInFlight: 1_000 }, () => Promise.resolve());
    await until('it is taken', () => lost.ids().includes(id));
    const takenAt = performance.now();
    const dead = lost.stop();
    const heir = listening(system.open(), consumer);
    await until('it came again', () => heir.ids().includes(id));
    expect(performance.now() - takenAt).to.be.within(700, 5_000);
    expect(heir.heard.find((delivery) => delivery.id === id)?.deliveries).to.be.greaterThan(1);
    await dead;
  });

  it('leaves a message to who is still working', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 1_000, maxInFlight: 1_000 });
    const [id = ''] = await told(1);
    const patient = async (delivery: Delivery) => {
      for (let spent = 0; delivery.id === id && spent < 3_000; spent += 250) {
        await delivery.extendAckTimeout();
        await sleep(250);
      }
      await delivery.acknowledge();
    };
    const both = [listening(system.open(), consumer, patient), listening(system.open(), consumer, patient)];
    const times = () => both.flatMap(({ heard }) => heard).filter((delivery) => delivery.id === id).length;
    await until('it is taken', () => times() > 0);
    await quiet(4_000);
    expect(times()).to.equal(1);
  });

  it('brings a message again when it is asked to', async () => {
    const [id = ''] = await told(1);
    const at: number[] = [];
    const { heard } = listening(system.open(), consumerOf({ maxInFlight: 1_000 }), async (delivery) => {
      if (delivery.id === id) at.push(performance.now());
      await (delivery.id === id && delivery.deliveries === 1 ? delivery.redeliverAfter(1_500) : delivery.acknowledge());
    });
    await until('it came again', () => at.length === 2);
    expect(at[1]! - at[0]!).to.be.within(1_400, 4_000);
    await quiet();
    expect(heard.filter((delivery) => delivery.id === id).map(({ deliveries }) => deliveries)).to.deep.equal([1, 2]);
  });

  it('sets aside what nobody can handle, and brings the rest', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 1_000, maxDeliveries: 3 });
    const dead: string[] = [];
    const metrics = { delivered: () => undefined, died: (name: string) => void dead.push(name) };
    const [poison = '', ...others] = await told(3);
    const { heard, ids } = listening(system.open(metrics), consumer, (delivery) =>
      delivery.id === poison ? Promise.reject(new Error('nobody can')) : delivery.acknowledge(),
    );
    await until('it is given up', () => dead.length > 0);
    await quiet(1_500);
    expect(dead).to.deep.equal([consumer.name]);
    expect(heard.filter(({ id }) => id === poison).map(({ deliveries }) => deliveries)).to.deep.equal([1, 2, 3]);
    expect(ids()).to.include.members(others);
    await listeners.pop()!.stop();
    const again = listening(system.open(), consumer);
    const [next = ''] = await told(1);
    await until('the next one came', () => again.ids().includes(next));
    expect(again.ids()).to.not.include(poison);
  });

  it('goes on under the same name where it stopped', async () => {
    const consumer = consumerOf();
    const first = await told(5);
    const one = listening(system.open(), consumer);
    await until('all are heard', () => first.every((id) => one.ids().includes(id)));
    await one.stop();
    const second = await told(5);
    const two = listening(system.open(), consumer);
    await until('all are heard', () => second.every((id) => two.ids().includes(id)));
    await quiet();
    expect(two.ids()).to.have.members(second);
  });

  it('has no more in hand than was asked, and waits for that when it stops', async () => {
    let [now, most, done] = [0, 0, 0];
    const listener = listening(system.open(), consumerOf({ maxInFlight: 3 }), async (delivery) => {
      most = Math.max(most, (now += 1));
      await sleep(50);
      await delivery.acknowledge();
      [now, done] = [now - 1, done + 1];
    });
    await told(30);
    await until('some are done', () => done >= 10);
    await listener.stop();
    expect([now, most]).to.deep.equal([0, 3]);
    const atStop = done;
    await quiet();
    expect(done).to.equal(atStop);
  });

  it('loses none of ten thousand', async function () {
    const consumer = consumerOf({ maxInFlight: 64, name: `many-${randomUUID()}` });
    const wanted = await told(10_000);
    const beganAt = performance.now();
    const both = [listening(system.open(), consumer), listening(system.open(), consumer)];
    const missing = new Set(wanted);
    const isAllHeard = () => {
      for (const { heard } of both) for (const { id } of heard.splice(0)) missing.delete(id);
      return missing.size === 0;
    };
    await until('all are heard', isAllHeard, 50_000);
    const perSecond = Math.round((wanted.length / (performance.now() - beganAt)) * 1_000);
    this.test!.title += ` (${perSecond}/s)`;
  });
};
