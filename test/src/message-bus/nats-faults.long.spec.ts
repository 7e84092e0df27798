import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogBus } from '@popsvc/platform/message-bus';
import { expect } from 'chai';
import { hasNats, natsProgram } from '../support/engines.ts';
import { roundsOf } from '../support/rounds.ts';
import { describeIfInstalled } from '../support/required-binary.ts';
import { consumerOf, listen, type Listener, log, tell, until } from './buses.fixture.ts';
import { type NatsTestServer, startNatsTestServer } from './nats-server.fixture.ts';

/** Tells ten events every fiftieth of a second, until it is stopped. */
const traffic = ({ store }: NatsTestServer) => {
  const ids: string[] = [];
  const end = new AbortController();
  const flow = async () => {
    while (!end.signal.aborted) {
      ids.push(...(await tell(store, 10)));
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

const [kills, wipes] = [roundsOf(3, 100), roundsOf(2, 20)];

describeIfInstalled(natsProgram, hasNats, 'bus: NATS that fails', () => {
  let system: NatsTestServer;
  const listeners: Listener[] = [];
  beforeEach(async () => (system = await startNatsTestServer()));
  afterEach(async () => {
    await Promise.all(listeners.splice(0).map((listener) => listener.stop()));
    await system.close();
  });
  const listening = (...given: Parameters<typeof listen>): Listener => {
    const listener = listen(...given);
    listeners.push(listener);
    return listener;
  };
  /** Whether all were heard, looking at each delivery and each id once. */
  const allHeard = ({ heard }: Listener, wanted: readonly string[]) => {
    const missing = new Set(wanted);
    let seen = 0;
    return () => {
      for (; seen < heard.length; seen += 1) missing.delete(heard[seen]!.id);
      return missing.size === 0;
    };
  };

  it(`and is killed under traffic loses nothing (${kills} times)`, async () => {
    const listener = listening(system.openBus(), consumerOf());
    const { ids, stop } = traffic(system);
    for (let round = 0; round < kills; round += 1) {
      await sleep(500 + Math.random() * 500);
      await system.server.kill9();
      await sleep(Math.random() * 1_000);
      await system.server.start();
    }
    await sleep(500);
    await stop();
    await until('all are heard', allHeard(listener, ids), 40_000);
    expect(ids.length).to.be.greaterThan(500);
  });

  it(`and is wiped under traffic goes on with what is told from then on (${wipes} times)`, async () => {
    const listener = listening(system.openBus(), consumerOf());
    for (let round = 0; round < wipes; round += 1) {
      const { ids, stop } = traffic(system);
      const heardBefore = listener.heard.length;
      await until('some are heard', () => listener.heard.length > heardBefore + 100, 40_000);
      await system.server.kill9();
      await system.server.wipe();
      await system.server.start();
      const told = ids.length;
      await until('more is told', () => ids.length > told + 200);
      await stop();
      await until('what was told after the wipe is heard', allHeard(listener, ids.slice(told)), 40_000);
    }
  });

  it('loses nothing for those who sweep the log behind it', async () => {
    const consumer = consumerOf();
    const sweeper = createLogBus({ ...system, log, firstDelayMs: 3_000 });
    const [fast, slow] = [listening(system.openBus(), consumer), listening(sweeper, consumer)];
    await system.server.kill9();
    const lost = await tell(system.store, 50);
    await until('the sweeper brings them', allHeard(slow, lost));
    expect(fast.heard).to.deep.equal([]);
    expect(system.standing()).to.equal('failing');
    await system.server.wipe();
    await system.server.start();
    await until('the relay brings them, too', allHeard(fast, lost), 40_000);
  });

  it('has each event once, however often it is published', async () => {
    const [id] = await tell(system.store, 1);
    const jetstream = (await system.look()).jetstream();
    await until('it is published', () => system.standing() === 'running');
    for await (const followed of system.store.subscribe({
      after: 'start',
      prefixes: ['bulkJob-'],
      signal: AbortSignal.timeout(5_000),
    })) {
      if (followed.kind === 'caught-up') break;
      await system.feed.publish([followed.event, followed.event]);
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

  it('is told of events that are larger than it allows, without their data', async () => {
    const data = { text: 'x'.repeat(1_047_400) };
    const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 7 };
    await system.store.append('bulkJob-large', [{ id: randomUUID(), type: 'BulkIngestQueued', data, metadata }]);
    const { heard } = listening(system.openBus(), consumerOf());
    await until('it is heard', () => heard.length === 1);
    expect(heard[0]!.data).to.deep.equal(data);
    const stream = await (await system.look()).jetstream().streams.get('popsvc_events');
    const kept = (await stream.getMessage({ seq: 1 })).json<Record<string, unknown>>();
    expect(kept).to.include({ data: null, data_omitted: true, stream: 'bulkJob-large' });
  });
});
