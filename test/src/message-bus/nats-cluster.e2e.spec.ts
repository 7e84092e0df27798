import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BulkIngestQueued } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import { createNatsPublisher, type EventPublisher } from '@popsvc/platform/message-bus';
import { nats } from '@popsvc/ops-api/server';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { hasNats, natsProgram } from '../support/engines.ts';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { waitFor } from './bus.fixture.ts';
import { type NatsCluster, startNatsCluster } from './nats-cluster.fixture.ts';

const events = 'popsvc_events';
let position = 0n;

const newEvent = (): LogEvent => ({
  id: randomUUID(),
  type: BulkIngestQueued.type,
  stream: 'bulkJob-1',
  revision: position,
  position: (position += 1n),
  recordedAtMs: Date.now(),
  data: {},
  metadata: { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 7 },
});

/** Publishes until the server acknowledges, as the relay does. Returns how many attempts failed. */
const publishWithRetry = async (publisher: EventPublisher, batch: readonly LogEvent[]): Promise<number> => {
  for (let failures = 0; ; failures += 1) {
    try {
      await publisher.publish(batch);
      return failures;
    } catch (error) {
      if (failures === 100) throw error;
      await sleep(200);
    }
  }
};

describeIfInstalled(natsProgram, hasNats, 'NATS as a cluster of three servers', function () {
  let cluster: NatsCluster;
  /** A dead address, and the addresses of two servers. */
  let url: string;
  const open: { close(): Promise<void> }[] = [];
  const publisherOf = (url: string): EventPublisher => {
    const publisher = createNatsPublisher({ url, name: 'test' });
    open.push(publisher);
    return publisher;
  };
  before(async function () {
    cluster = await startNatsCluster(3, 2);
  });
  after(async () => {
    await Promise.allSettled(open.map((each) => each.close()));
    await cluster.stop();
  });

  const withConnection = async <T>(use: (connection: Awaited<ReturnType<NatsCluster['connect']>>) => Promise<T>) => {
    const connection = await cluster.connect();
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  };
  const streamInfo = (stream: string) =>
    withConnection(async (connection) => (await connection.jetstreamManager()).streams.info(stream));
  const found = (publisher: EventPublisher) =>
    nats.evaluate({ bus: () => publisher.readStatus() }).then(([one]) => one!);

  it('creates no stream with one replica while only two of three servers in the list run', async function () {
    const dead = new URL(cluster.url().split(',')[0]!);
    dead.port = '1';
    url = `${dead.href},${cluster.url()}`;
    const publisher = publisherOf(url);
    const failure = await publisher.publish([newEvent()]).catch((error: unknown) => (error as Error).message);
    expect(failure).to.equal(
      'NATS_URL lists 3 servers, but the stream popsvc_events cannot have 3 replicas: start all servers of the cluster, or remove ' +
        'from NATS_URL the servers that do not exist',
    );
    await cluster.startNext();
  });

  it('creates the stream with three replicas, also while one address in the list is dead', async function () {
    const publisher = publisherOf(url);
    await publishWithRetry(publisher, [newEvent()]);
    expect((await streamInfo(events)).config.num_replicas).to.equal(3);
    expect(await found(publisher)).to.include({ outcome: 'ok' });
  });

  it('stores every acknowledged message once while the leader is killed, and reports the lost replica', async function () {
    const publisher = publisherOf(cluster.url());
    const acknowledged: string[] = [];
    const [batches, perBatch, killAt] = [100, 20, 40];
    let [failures, longestGapMs, last] = [0, 0, performance.now()];
    let killed = '';
    for (let batch = 0; batch < batches; batch += 1) {
      if (batch === killAt) {
        killed = await cluster.leaderOf(events);
        await cluster.servers.get(killed)!.kill9();
      }
      const published = Array.from({ length: perBatch }, newEvent);
      failures += await publishWithRetry(publisher, published);
      acknowledged.push(...published.map(({ id }) => id));
      longestGapMs = Math.max(longestGapMs, performance.now() - last);
      last = performance.now();
    }
    expect(await cluster.leaderOf(events)).to.not.equal(killed);

    const stored = await withConnection(async (connection) => {
      const stream = await connection.jetstream().streams.get(events);
      const { first_seq, last_seq } = (await stream.info()).state;
      const ids: string[] = [];
      for (let seq = first_seq; seq <= last_seq; seq += 1)
        ids.push((await stream.getMessage({ seq })).header.get('Nats-Msg-Id'));
      return ids;
    });
    const ofTest = stored.filter((id) => acknowledged.includes(id));
    expect(new Set(ofTest).size, 'acknowledged messages that are stored').to.equal(acknowledged.length);
    expect(ofTest.length, 'messages stored twice').to.equal(acknowledged.length);
    this.test!.title += ` (${acknowledged.length} messages, ${failures} failed attempts, longest gap ${Math.round(longestGapMs)} ms)`;

    const during = await found(publisher);
    expect(during).to.include({ outcome: 'warning', problem: 'replicas-behind' });
    expect(during.found).to.include(`2 of 3 replicas of ${events} are current`);
    await cluster.servers.get(killed)!.start();
    await waitFor('all replicas are current', async () => (await found(publisher)).outcome === 'ok', 60_000);
  });

  it('does not change a stream with one replica, and reports it', async function () {
    await withConnection(async (connection) => {
      const manager = await connection.jetstreamManager();
      await manager.streams.update(events, { num_replicas: 1 });
    });
    const publisher = publisherOf(cluster.url());
    await publishWithRetry(publisher, [newEvent()]);
    const {
      outcome,
      problem,
      found: text,
    } = await waitUntil(
      () => found(publisher),
      (finding) => finding.problem !== 'replicas-behind',
      30_000,
    );
    expect([outcome, problem, text]).to.deep.equal(['warning', 'few-replicas', `${events} has one replica`]);
    expect((await streamInfo(events)).config.num_replicas).to.equal(1);
  });
});

describeIfInstalled(natsProgram, hasNats, 'NATS as a cluster of two servers', () => {
  it('creates streams with one replica, and reports no problem', async function () {
    const cluster = await startNatsCluster(2);
    const publisher = createNatsPublisher({ url: cluster.url(), name: 'test' });
    try {
      await publishWithRetry(publisher, [newEvent()]);
      const status = await publisher.readStatus();
      expect(status.replicas).to.equal(1);
      expect(status.streams.map(({ replicas }) => replicas)).to.deep.equal([{ configured: 1, current: 1 }]);
      expect((await nats.evaluate({ bus: () => publisher.readStatus() }))[0]).to.include({ outcome: 'ok' });
    } finally {
      await publisher.close();
      await cluster.stop();
    }
  });
});
