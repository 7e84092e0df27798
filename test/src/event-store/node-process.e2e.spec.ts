import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { START } from '@eventstore/db-client';
import { eventStoreEntry, startEventStoreNode } from '@popsvc/embedded/event-store';
import { temporaryFolder } from '@popsvc/tools/rig';
import { follow } from './subscription.fixture.ts';
import { spawnEventStore } from './spawned.fixture.ts';
import { connectTo, itsOwnNode, readAllOf, refusal, someEvents } from './store.fixture.ts';

const messageOf = async (promise: Promise<unknown>): Promise<string> => String((await refusal(promise))['message']);

/** Runs a program as in another container, where the system permits it. */
const unshare = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];
const ownNamespace = spawnSync(unshare[0]!, [...unshare.slice(1), 'true']).status === 0 ? unshare : [];

/** Runs the program until it exits. */
const run = async (
  env: NodeJS.ProcessEnv,
  prefix: readonly string[] = [],
): Promise<{ code: number | null; complaint: string }> => {
  const [command, ...args] = [...prefix, process.execPath, eventStoreEntry];
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => (complaint += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, complaint };
};

describe('event store: the process', function () {
  itsOwnNode('serves, stops gracefully with its streams cancelled, and keeps acknowledged events', async () => {
    const dataDir = await temporaryFolder('process');
    const store = await spawnEventStore({ dataDir, port: 0 });
    const client = connectTo(store.url);
    await client.appendToStream('s', someEvents(3));
    const followed = follow(client.subscribeToStream('s', { fromRevision: START }));
    await followed.until(() => followed.story.includes('caughtUp'));
    const ended = followed.until(() => false).catch((error: unknown) => error);
    expect(await store.stop()).to.equal(0);
    expect(await ended).to.include({ type: 'cancelled' });
    const again = await spawnEventStore({ dataDir, port: store.port });
    expect(await readAllOf(client, 's'), 'the same client goes on').to.have.length(3);
    again.process.stdin!.end();
    const [code] = (await once(again.process, 'exit')) as [number];
    expect(code, 'it ends with its parent').to.equal(0);
  });

  itsOwnNode('reports a port in use, a directory in use and an invalid environment', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const EVENT_STORE_DIR = await temporaryFolder('taken');
    const taken = await run({ EVENT_STORE_DIR, EVENT_STORE_PORT: String(port) });
    expect(taken).to.deep.equal({ code: 1, complaint: `event store: port ${port} is in use by another process\n` });
    blocker.close();
    const owner = await startEventStoreNode({ dataDir: EVENT_STORE_DIR, port: 0 });
    const second = await run({ EVENT_STORE_DIR, EVENT_STORE_PORT: '0' });
    expect(second).to.deep.equal({
      code: 1,
      complaint: `event store: ${EVENT_STORE_DIR} is in use by another process; stop that process or use another folder\n`,
    });
    expect(await messageOf(startEventStoreNode({ dataDir: EVENT_STORE_DIR, port: 0 }))).to.contain('is in use');
    await owner.close();
    const wrong = await run({ EVENT_STORE_DIR, EVENT_STORE_PORT: 'lots' });
    expect(wrong.code).to.equal(1);
    expect(wrong.complaint).to.contain('EVENT_STORE_PORT');
  });

  itsOwnNode('lets one process take over the directory of a killed node', async () => {
    const dataDir = await temporaryFolder('takeover');
    const killed = await spawnEventStore({ dataDir, port: 0 });
    await connectTo(killed.url).appendToStream('s', someEvents(1));
    killed.process.kill('SIGKILL');
    await once(killed.process, 'exit');
    const takers = await Promise.allSettled([1, 2, 3, 4].map(() => spawnEventStore({ dataDir, port: 0 })));
    const owners = takers.flatMap((taker) => (taker.status === 'fulfilled' ? [taker.value] : []));
    expect(owners).to.have.length(1);
    for (const taker of takers) {
      if (taker.status === 'rejected') expect(String(taker.reason)).to.contain('is in use by another process');
    }
    expect(await readAllOf(connectTo(owners[0]!.url), 's')).to.have.length(1);
    await owners[0]!.stop();
  });

  itsOwnNode('locks the directory also against a process in another PID namespace', async () => {
    const dataDir = await temporaryFolder('namespaces');
    const owner = await startEventStoreNode({ dataDir, port: 0 });
    const env = { EVENT_STORE_DIR: dataDir, EVENT_STORE_PORT: '0' };
    expect(await run(env, ownNamespace)).to.deep.equal({
      code: 1,
      complaint: `event store: ${dataDir} is in use by another process; stop that process or use another folder\n`,
    });
    await owner.close();
  });

  itsOwnNode('returns the same from the unary read as from the stream', async () => {
    const dataDir = await temporaryFolder('plain');
    const seen: unknown[] = [];
    for (const coalescesReads of [true, false]) {
      const node = await startEventStoreNode({ dataDir, port: 0, coalescesReads });
      const client = connectTo(`esdb://127.0.0.1:${node.port}?tls=false`);
      if (coalescesReads) await client.appendToStream('s', someEvents(3000));
      seen.push(await readAllOf(client, 's'));
      await client.dispose();
      await node.close();
    }
    expect(seen[0]).to.have.length(3000);
    expect(seen[1]).to.deep.equal(seen[0]);
  });
});
