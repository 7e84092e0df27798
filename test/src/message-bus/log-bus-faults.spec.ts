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
import { consumerOf, type Ground, listen, type Listener, log, openGround, tell, until } from './buses.fixture.ts';

describe('bus: the log when something fails', () => {
  let ground: Ground;
  const buses: MessageBus[] = [];
  const listeners: Listener[] = [];
  before(async () => (ground = await openGround()));
  afterEach(async () => {
    await Promise.all(listeners.splice(0).map((listener) => listener.stop()));
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
  });
  after(() => ground.close());

  const listening = (given: Partial<LogBusDependencies>, consumer: Consumer, handle?: MessageHandler) => {
    const bus = createLogBus({ ...ground, log, ...given });
    const listener = listen(bus, consumer, handle);
    buses.push(bus);
    listeners.push(listener);
    return listener;
  };
  const waiting = async (consumer: string) => {
    const { rows } = await ground.postgres.query<{ many: number }>(
      'SELECT count(*)::int AS many FROM bus_messages WHERE consumer = $1',
      [consumer],
    );
    return rows[0]!.many;
  };

  it('goes on when the event store and PostgreSQL come back', async () => {
    const consumer = consumerOf();
    const { heard, ids } = listening({}, consumer);
    const told = await tell(ground.store, 20);
    for (let round = 0; round < 3; round += 1) {
      await ground.node.kill9();
      await ground.postgres.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      await ground.node.restart();
      await until('the event store is back', () =>
        tell(ground.store, 20).then(
          (ids) => told.push(...ids) > 0,
          () => false,
        ),
      );
    }
    await until('all are heard', () => told.every((id) => ids().includes(id)));
    await until('all are done with', async () => (await waiting(consumer.name)) === 0);
    expect(heard.length).to.be.greaterThan(79);
  });

  it('puts a message down once, whoever reads the log', async () => {
    const consumer = consumerOf({ ackTimeoutMs: 60_000 });
    const idle = () => Promise.resolve();
    const putDown = async () => {
      const query = 'SELECT id FROM bus_messages WHERE consumer = $1';
      return (await ground.postgres.query<{ id: string }>(query, [consumer.name])).rows.map(({ id }) => id);
    };
    const hasAll = (ids: readonly string[]) => async () => {
      const held = new Set(await putDown());
      return ids.every((id) => held.has(id));
    };
    const first = listening({ owner: 'first' }, consumer, idle);
    const told = await tell(ground.store, 50);
    await until('all are put down', hasAll(told));
    listening({ owner: 'second' }, consumer, idle);
    await sleep(500);
    await first.stop();
    told.push(...(await tell(ground.store, 50)));
    await until('another one reads on', hasAll(told));
    const held = await putDown();
    expect(new Set(held).size).to.equal(held.length);
  });

  it('is a timer that survives restarts', async () => {
    const consumer = consumerOf({ maxInFlight: 1_000 });
    const [id = ''] = await tell(ground.store, 1);
    const due = Date.now() + 2_000;
    const before = listening({ owner: 'one' }, consumer, (delivery) => delivery.redeliverAfter(due - Date.now()));
    await until('it is postponed', () => before.ids().includes(id));
    await before.stop();
    const after = listening({ owner: 'two' }, consumer);
    await until('it is due', () => after.ids().includes(id));
    expect(Date.now()).to.be.within(due - 20, due + 1_500);
  });

  it('waits before it brings a message the first time, when it is asked to', async () => {
    const consumer = consumerOf();
    const { heard } = listening({ firstDelayMs: 1_500 }, consumer);
    const toldAt = Date.now();
    const [id = ''] = await tell(ground.store, 1);
    await until('it is brought', () => heard.some((delivery) => delivery.id === id));
    expect(Date.now() - toldAt).to.be.greaterThan(1_400);
  });

  it('keeps what is dead for people to look at', async () => {
    const consumer = consumerOf({ maxDeliveries: 1 });
    const [id] = await tell(ground.store, 1);
    listening({}, consumer, (delivery) =>
      delivery.id === id ? Promise.reject(new Error('nobody can')) : delivery.acknowledge(),
    );
    const dead = async () => {
      const { rows } = await ground.postgres.query<{ id: string; deliveries: number }>(
        'SELECT id, deliveries FROM bus_messages WHERE consumer = $1 AND dead_at IS NOT NULL',
        [consumer.name],
      );
      return rows;
    };
    await until('it is set aside', async () => (await dead()).length > 0);
    expect(await dead()).to.deep.equal([{ id, deliveries: 1 }]);
  });

  it('remembers how far it has read where nothing happens that is wanted', async () => {
    const consumer = consumerOf();
    listening({}, consumer);
    const now = new Date().toISOString();
    const { position } = await ground.store.append(probeStream('test'), [
      {
        id: randomUUID(),
        type: ProbeEmitted.type,
        data: { service: 'test', emittedAt: now },
        metadata: { schemaVersion: 1, receivedAt: now },
      },
    ]);
    const key = { projection: `bus:${consumer.name}`, generation: 1 };
    await until(
      'it is there',
      async () => (await createCheckpointStore(ground.postgres).read(key)).position >= position,
    );
  });
});
