import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { hasNats, natsProgram } from '../support/engines.ts';
import { chooseRounds } from '../support/rounds.ts';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { startTestCollector } from '../support/collector.ts';
import { sendingTo } from '../tracing/tracing.fixture.ts';
import { appendEvents, waitFor } from './bus.fixture.ts';
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

describeIfInstalled(natsProgram, hasNats, 'events published to NATS', () => {
  let system: NatsTestServer;
  beforeEach(async () => (system = await startNatsTestServer()));
  afterEach(() => system.close());

  /** Reads the ids of the published events from the stream. */
  const readPublished = async (): Promise<readonly string[]> => {
    const connection = await system.connect();
    const jetstream = connection.jetstream();
    const consumer = await jetstream.consumers.get('popsvc_events', {});
    const ids: string[] = [];
    for (let pending = (await consumer.info()).num_pending; pending > 0;) {
      const messages = await consumer.fetch({ max_messages: Math.min(pending, 1_000), expires: 5_000 });
      for await (const message of messages) {
        ids.push(message.headers!.get('Nats-Msg-Id'));
        pending = message.info.pending;
      }
    }
    await connection.close();
    return ids;
  };
  /** Waits until all events are published, and returns all that are. */
  const untilPublished = async (wanted: readonly string[]) => {
    let published: readonly string[] = [];
    await waitFor(
      'all events are published',
      async () => {
        published = await readPublished().catch(() => []);
        const ids = new Set(published);
        return wanted.every((id) => ids.has(id));
      },
      60_000,
    );
    return published;
  };

  it(`are stored once each when NATS is killed under traffic (${kills} times)`, async () => {
    const { ids, stop } = traffic(system);
    for (let round = 0; round < kills; round += 1) {
      await sleep(500 + Math.random() * 500);
      await system.server.kill9();
      await sleep(Math.random() * 1_000);
      await system.server.start();
    }
    await waitFor('enough is appended', () => ids.length > 500);
    await stop();
    const published = await untilPublished(ids);
    expect(published).to.have.length(ids.length);
  });

  it(`continue with new events when NATS loses its data under traffic (${wipes} times)`, async () => {
    for (let round = 0; round < wipes; round += 1) {
      const { ids, stop } = traffic(system);
      await waitFor('some events are published', () => ids.length > 100);
      await untilPublished(ids.slice(0, 100));
      await system.server.kill9();
      await system.server.wipe();
      await system.server.start();
      const appended = ids.length;
      await waitFor('more is appended', () => ids.length > appended + 200);
      await stop();
      await untilPublished(ids.slice(appended));
    }
  });

  it('include those that were appended while NATS was down', async () => {
    await system.server.kill9();
    const late = await appendEvents(system.store, 50);
    await waitFor('the relay fails', () => system.relayState() === 'failing');
    await system.server.wipe();
    await system.server.start();
    await untilPublished(late);
  });

  it('are stored once, however often they are published', async () => {
    const [id] = await appendEvents(system.store, 1);
    const jetstream = (await system.connect()).jetstream();
    await waitFor('it is published', () => system.relayState() === 'running');
    for await (const followed of system.store.subscribe({
      after: 'start',
      prefixes: ['bulkJob-'],
      signal: AbortSignal.timeout(5_000),
    })) {
      if (followed.kind === 'caught-up') break;
      const to = await startTestCollector();
      await sendingTo(to, () => system.publisher.publish([followed.event, followed.event]));
      await to.stop();
      const publish = to.spans().find(({ name }) => name === 'publish popsvc.events');
      expect(publish).to.deep.include({ kind: 4, parentSpanId: '' });
      expect(publish!.attributes['messaging.batch.message_count']).to.equal(2);
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

  it('omit their data above the size limit', async () => {
    const data = { text: 'x'.repeat(1_047_400) };
    const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 7 };
    await system.store.append('bulkJob-large', [{ id: randomUUID(), type: 'BulkIngestQueued', data, metadata }]);
    await waitFor('the event is published', async () => (await readPublished().catch(() => [])).length === 1);
    const stream = await (await system.connect()).jetstream().streams.get('popsvc_events');
    const kept = (await stream.getMessage({ seq: 1 })).json<Record<string, unknown>>();
    expect(kept).to.include({ data: null, data_omitted: true, stream: 'bulkJob-large' });
  });
});
