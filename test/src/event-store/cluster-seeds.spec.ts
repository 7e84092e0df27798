import { randomUUID } from 'node:crypto';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { createServer, type AddressInfo } from 'node:net';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import {
  type EventStore,
  type EventStoreUnavailable,
  type NewEvent,
  openEventStore,
} from '@popsvc/platform/event-store';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { startTestEventStore, type TestEventStore } from '../support/engines.ts';
import { connectTo, newStream, readAllOf, someEvents } from './store.fixture.ts';

const newEvent = (): NewEvent => ({
  id: randomUUID(),
  type: 'Recorded',
  data: {},
  metadata: { schemaVersion: 1, receivedAt: '2026-08-20T14:00:00.000Z' },
});

/** A seed that accepts connections and never answers, like a machine that hangs. */
const startSilentSeed = async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).unref());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
};

/** A node of a cluster that elects a leader: it knows no leader, and refuses all other calls, until it names one. */
const startElectingNode = async () => {
  const { MemberInfo } = gossip;
  let state = MemberInfo.VNodeState.UNKNOWN;
  let leaderPort = 0;
  const encodeCluster = (): Buffer => {
    const member = new MemberInfo().setIsAlive(true).setState(state);
    member.setInstanceId(new shared.UUID().setString(randomUUID()));
    member.setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(leaderPort));
    const message = new gossip.ClusterInfo().setMembersList([member]).serializeBinary();
    const frame = Buffer.alloc(5 + message.length);
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    return frame;
  };
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2Server();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream, { ':path': path }) => {
    const headers = { ':status': 200, 'content-type': 'application/grpc' };
    if (path !== '/event_store.client.gossip.Gossip/Read') {
      stream.respond({ ...headers, 'grpc-status': '14', 'grpc-message': 'Server Is Not Ready' }, { endStream: true });
      return;
    }
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.respond(headers, { waitForTrailers: true });
    stream.end(encodeCluster());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    elect(port: number) {
      [state, leaderPort] = [MemberInfo.VNodeState.LEADER, port];
    },
    close() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
};

describe('event store: a connection string with several nodes', function () {
  let node: TestEventStore;
  const stores: EventStore[] = [];
  const open = (url: string): EventStore => {
    const store = openEventStore({ url });
    stores.push(store);
    return store;
  };
  before(async () => (node = await startTestEventStore()));
  after(async () => {
    for (const store of stores) await store.close();
    await node.stop();
  });

  const usable = async (store: EventStore, appendTimeoutMs = 60_000) => {
    const stream = newStream('seeds');
    const { position } = await store.append(stream, [newEvent()], { timeoutMs: appendTimeoutMs });
    expect(await store.readHeadPosition()).to.equal(position);
    expect(await store.findMissingRights()).to.deep.equal([]);
    for await (const item of store.subscribe({
      after: 'start',
      prefixes: [stream],
      signal: AbortSignal.timeout(60_000),
    })) {
      expect(item.kind === 'event' && item.event.position).to.equal(position);
      break;
    }
  };

  for (const [order, hosts] of [
    ['first', () => `127.0.0.1:1,127.0.0.1:${node.port}`],
    ['last', () => `127.0.0.1:${node.port},127.0.0.1:1`],
  ] as const)
    it(`is used while its ${order} node is dead`, async () => {
      const url = `esdb://${hosts()}?tls=false`;
      await usable(open(url));
      const client = connectTo(url);
      const stream = newStream();
      await client.appendToStream(stream, someEvents(2));
      expect(await readAllOf(client, stream)).to.have.length(2);
    });

  it('is used while a node accepts connections and does not answer, after the gossip timeout', async () => {
    const silent = await startSilentSeed();
    await usable(open(`esdb://127.0.0.1:${silent.port},127.0.0.1:${node.port}?tls=false&gossipTimeout=1`));
    silent.close();
  });

  it('is used again after the node was away, by the same store', async () => {
    const store = open(`esdb://127.0.0.1:1,127.0.0.1:${node.port}?tls=false`);
    await usable(store);
    await node.stop();
    const failed = await store.append(newStream(), [newEvent()], { timeoutMs: 3_000 }).catch((error: unknown) => error);
    expect(failed).to.include({ name: 'EventStoreUnavailable' });
    await node.restart();
    await usable(store);
  });

  it('reports that there is no leader, and is used by the same store once one is elected', async () => {
    const electing = await startElectingNode();
    const attempts = '&maxDiscoverAttempts=2&discoveryInterval=50';
    const store = open(`esdb://127.0.0.1:1,127.0.0.1:${electing.port}?tls=false${attempts}`);
    const append = () => store.append(newStream(), [newEvent()], { timeoutMs: 60_000 });
    const failureOf = (call: () => Promise<unknown>) =>
      call().then(
        () => undefined,
        (error: unknown) => error as Partial<EventStoreUnavailable>,
      );
    // On a slow machine the search for a leader may take longer than a read.
    for (const call of [append, () => store.readHeadPosition(), () => store.ping()])
      await waitUntil(
        () => failureOf(call),
        (failure) => failure?.name === 'EventStoreUnavailable' && failure.reason === 'no-leader',
      );
    electing.elect(node.port);
    await usable(store);
    electing.close();
  });

  it('with a DNS name finds the node among the addresses of the name', async () => {
    await usable(open(`esdb+discover://localhost:${node.port}?tls=false`));
  });
});
