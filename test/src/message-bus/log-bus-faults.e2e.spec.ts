import { setTimeout as sleep } from 'node:timers/promises';
import { ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import {
  type MessageBus,
  type Consumer,
  type MessageHandler,
  createLogBus,
  type LogBusDependencies,
} from '@popsvc/platform/message-bus';
import { createCheckpointStore } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import {
  consumerOf,
  type TestStores,
  startConsumer,
  type TestConsumer,
  log,
  openTestStores,
  appendEvents,
  waitFor,
} from './bus.fixture.ts';

describe('log bus after a failure', () => {
  let stores: TestStores;
  const buses: MessageBus[] = [];
  const consumers: TestConsumer[] = [];
  before(async () => (stores = await openTestStores()));
  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((testConsumer) => testConsumer.stop()));
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
  });
  after(() => stores.close());

  const start = (given: Partial<LogBusDependencies>, consumer: Consumer, handle?: MessageHandler) => {
    const bus = createLogBus({ ...stores, log, ...given });
    const testConsumer = startConsumer(bus, consumer, handle);
    buses.push(bus);
    consumers.push(testConsumer);
    return testConsumer;
  };
  const waiting = async (consumer: string) => {
    const { rows } = await stores.postgres.query<{ many: number }>(
      'SELECT count(*)::int AS many FROM bus_messages WHERE consumer = $1',
      [consumer],
    );
    return rows[0]!.many;
  };

  it('continues when the event store and PostgreSQL recover', async () => {
    const consumer = consumerOf();
    const { received, ids } = start({}, consumer);
    const appended = await appendEvents(stores.store, 20);
    for (let round = 0; round < 3; round += 1) {
      await stores.node.kill9();
      await stores.postgres.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      await stores.node.restart();
      await waitFor('the event store is back', () =>
        appendEvents(stores.store, 20).then(
          (ids) => appended.push(...ids) > 0,
          () => false,
        ),
      );
    }
    await waitFor('all messages arrive', () => appended.every((id) => ids().includes(id)));
    await waitFor('all messages are acknowledged', async () => (await waiting(consumer.name)) === 0);
    expect(received.length).to.be.greaterThan(79);
  });

  it('stores each message once, whichever process reads the log', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 60_000 });
    const idle = () => Promise.resolve();
    const readStored = async () => {
      const query = 'SELECT id FROM bus_messages WHERE consumer = $1';
      return (await stores.postgres.query<{ id: string }>(query, [consumer.name])).rows.map(({ id }) => id);
    };
    const hasAll = (ids: readonly string[]) => async () => {
      const held = new Set(await readStored());
      return ids.every((id) => held.has(id));
    };
    const first = start({ owner: 'first' }, consumer, idle);
    const appended = await appendEvents(stores.store, 50);
    await waitFor('all messages are stored', hasAll(appended));
    start({ owner: 'second' }, consumer, idle);
    await sleep(500);
    await first.stop();
    appended.push(...(await appendEvents(stores.store, 50)));
    await waitFor('the other process reads on', hasAll(appended));
    const held = await readStored();
    expect(new Set(held).size).to.equal(held.length);
  });

  it('keeps a redelivery delay across restarts', async () => {
    const consumer = consumerOf({ maxInFlight: 1_000 });
    const [id = ''] = await appendEvents(stores.store, 1);
    const due = Date.now() + 2_000;
    const before = start({ owner: 'one' }, consumer, (delivery) => delivery.redeliverAfter(due - Date.now()));
    await waitFor('it is postponed', () => before.ids().includes(id));
    await before.stop();
    const after = start({ owner: 'two' }, consumer);
    await waitFor('it is due', () => after.ids().includes(id));
    expect(Date.now()).to.be.within(due - 20, due + 1_500);
  });

  it('delays the first delivery when firstDelayMs is set', async () => {
    const consumer = consumerOf();
    const { received } = start({ firstDelayMs: 1_500 }, consumer);
    const appendedAt = Date.now();
    const [id = ''] = await appendEvents(stores.store, 1);
    await waitFor('the message is delivered', () => received.some((delivery) => delivery.id === id));
    expect(Date.now() - appendedAt).to.be.greaterThan(1_400);
  });

  it('keeps dead letters for operators', async () => {
    const consumer = consumerOf({ maxDeliveries: 1 });
    const [id] = await appendEvents(stores.store, 1);
    start({}, consumer, (delivery) =>
      delivery.id === id ? Promise.reject(new Error('cannot be handled')) : delivery.acknowledge(),
    );
    const dead = async () => {
      const { rows } = await stores.postgres.query<{ id: string; deliveries: number }>(
        'SELECT id, deliveries FROM bus_messages WHERE consumer = $1 AND dead_at IS NOT NULL',
        [consumer.name],
      );
      return rows;
    };
    await waitFor('the message is a dead letter', async () => (await dead()).length > 0);
    expect(await dead()).to.deep.equal([{ id, deliveries: 1 }]);
  });

  it('moves its checkpoint on probe events when no consumed event is appended', async () => {
    const consumer = consumerOf();
    start({}, consumer);
    const now = new Date().toISOString();
    const { position } = await stores.store.append(probeStream('test'), [
      {
        id: randomUUID(),
        type: ProbeEmitted.type,
        data: { service: 'test', emittedAt: now },
        metadata: { schemaVersion: 1, receivedAt: now },
      },
    ]);
    const key = { projection: `bus:${consumer.name}`, generation: 1 };
    await waitFor(
      'it is there',
      async () => (await createCheckpointStore(stores.postgres).read(key)).position >= position,
    );
  });
});
