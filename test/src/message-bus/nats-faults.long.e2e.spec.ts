import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogBus } from '@popsvc/platform/message-bus';
import { expect } from 'chai';
import { hasNats, natsProgram } from '../support/engines.ts';
import { chooseRounds } from '../support/rounds.ts';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { consumerOf, startConsumer, type TestConsumer, log, appendEvents, waitFor } from './bus.fixture.ts';
import { type NatsTestServer, startNatsTestServer } from './nats-server.fixture.ts';

/** Appends ten events every 20 ms until it is stopped. */
const traffic = ({ store }: NatsTestServer) => {
  const ids: string[] = [];
  const end = new AbortController();
  const flow = async () => {
    while (!end.signal.aborted) {
      ids.push(...(await appendEvents(store, 10)));
      await sleep(20);
    }
  };
  const flowing = flow();
  const stop = () => {
    end.abort();
    return flowing;
  };
  return { ids, stop };
};

const [kills, wipes] = [chooseRounds(3, 100), chooseRounds(2, 20)];

describeIfInstalled(natsProgram, hasNats, 'NATS bus after a failure', () => {
  let system: NatsTestServer;
  const consumers: TestConsumer[] = [];
  beforeEach(async () => (system = await startNatsTestServer()));
  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((testConsumer) => testConsumer.stop()));
    await system.close();
  });
  const start = (...given: Parameters<typeof startConsumer>): TestConsumer => {
    const testConsumer = startConsumer(...given);
    consumers.push(testConsumer);
    return testConsumer;
  };
  /** Returns a check whether all events were received. It processes each delivery once. */
  const allReceived = ({ received }: TestConsumer, wanted: readonly string[]) => {
    const missing = new Set(wanted);
    let seen = 0;
    return () => {
      for (; seen < received.length; seen += 1) missing.delete(received[seen]!.id);
      return missing.size === 0;
    };
  };

  it(`loses nothing when NATS is killed under traffic (${kills} times)`, async () => {
    const testConsumer = start(system.openBus(), consumerOf());
    const { ids, stop } = traffic(system);
    for (let round = 0; round < kills; round += 1) {
      await sleep(500 + Math.random() * 500);
      await system.server.kill9();
      await sleep(Math.random() * 1_000);
      await system.server.start();
    }
    await sleep(500);
    await stop();
    await waitFor('all messages arrive', allReceived(testConsumer, ids), 40_000);
    expect(ids.length).to.be.greaterThan(500);
  });

  it(`continues with new events when NATS loses its data under traffic (${wipes} times)`, async () => {
    const testConsumer = start(system.openBus(), consumerOf());
    for (let round = 0; round < wipes; round += 1) {
      const { ids, stop } = traffic(system);
      const receivedBefore = testConsumer.received.length;
      await waitFor('some messages arrive', () => testConsumer.received.length > receivedBefore + 100, 40_000);
      await system.server.kill9();
      await system.server.wipe();
      await system.server.start();
      const appended = ids.length;
      await waitFor('more is appended', () => ids.length > appended + 200);
      await stop();
      await waitFor('the events after the data loss arrive', allReceived(testConsumer, ids.slice(appended)), 40_000);
    }
  });

  it('loses nothing for a consumer that also runs a delayed log bus', async () => {
    const consumer = consumerOf();
    const slowBus = createLogBus({ ...system, log, firstDelayMs: 3_000 });
    const [fast, slow] = [start(system.openBus(), consumer), start(slowBus, consumer)];
    await system.server.kill9();
    const lost = await appendEvents(system.store, 50);
    await waitFor('the delayed log bus delivers them', allReceived(slow, lost));
    expect(fast.received).to.deep.equal([]);
    expect(system.relayState()).to.equal('failing');
    await system.server.wipe();
    await system.server.start();
    await waitFor('the relay publishes them too', allReceived(fast, lost), 40_000);
  });

  it('stores each event once, however often it is published', async () => {
    const [id] = await appendEvents(system.store, 1);
    const jetstream = (await system.connect()).jetstream();
    await waitFor('it is published', () => system.relayState() === 'running');
    for await (const followed of system.store.subscribe({
      after: 'start',
      prefixes: ['bulkJob-'],
      signal: AbortSignal.timeout(5_000),
    })) {
      if (followed.kind === 'caught-up') break;
      await system.publisher.publish([followed.event, followed.event]);
    }
    const stream = await jetstream.streams.get('popsvc_events');
    expect((await stream.info()).state.messages).to.equal(1);
    const { subject, header, string } = await stream.getMessage({ seq: 1 }).then((message) => ({
      subject: message.subject,
      header: message.header.get('Nats-Msg-Id'),
      string: message.string(),
    }));
    expect(subject).to.equal('popsvc.events.7.BulkIngestQueued');
    expect(header).to.equal(id);
    expect(JSON.parse(string)).to.have.all.keys(
      ...['id', 'type', 'stream', 'revision', 'position', 'recorded_at', 'data', 'metadata'],
    );
  });

  it('publishes an event above the size limit without its data', async () => {
    const data = { text: 'x'.repeat(1_047_400) };
    const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 7 };
    await system.store.append('bulkJob-large', [{ id: randomUUID(), type: 'BulkIngestQueued', data, metadata }]);
    const { received } = start(system.openBus(), consumerOf());
    await waitFor('the message arrives', () => received.length === 1);
    expect(received[0]!.data).to.deep.equal(data);
    const stream = await (await system.connect()).jetstream().streams.get('popsvc_events');
    const kept = (await stream.getMessage({ seq: 1 })).json<Record<string, unknown>>();
    expect(kept).to.include({ data: null, data_omitted: true, stream: 'bulkJob-large' });
  });
});
