import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { START, binaryEvent } from '@eventstore/db-client';
import { temporaryFolder } from '@popsvc/tools/rig';
import { follow } from './subscription.fixture.ts';
import { spawnEventStore } from './spawned.fixture.ts';
import { connectTo, itsOwnNode } from './store.fixture.ts';

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;

describe('event store: slow readers', function () {
  itsOwnNode('24. cost the node little memory, lose nothing and delay no other reader', async () => {
    const store = await spawnEventStore({ dataDir: await temporaryFolder('slow'), port: 0 });
    const writer = connectTo(store.url);
    const data = Buffer.alloc(50_000, 7);
    const write = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 10) {
        await writer.appendToStream(
          's',
          Array.from({ length: 10 }, () => binaryEvent({ type: 'Big', data })),
        );
      }
    };
    await write(500);
    const slow = Array.from({ length: 4 }, () => {
      const subscription = connectTo(store.url).subscribeToStream('s', { fromRevision: START });
      subscription.pause();
      return subscription;
    });
    const fast = follow(connectTo(store.url).subscribeToAll({ fromPosition: START }));
    await fast.until(() => fast.events.length >= 500);
    const before = residentMegabytes(store.process.pid!);
    await write(1000);
    await fast.until(() => fast.events.length >= 1500);
    const after = residentMegabytes(store.process.pid!);
    process.stdout.write(
      `      50 MB written, 4 readers asleep: ${before.toFixed(0)} -> ${after.toFixed(0)} MB resident\n`,
    );
    // Sending everything to four readers would take 300 MB.
    expect(after - before).to.be.below(120);
    const followed = slow.map((subscription) => follow(subscription.resume()));
    for (const reader of followed) await reader.until(() => reader.events.length >= 1500);
    for (const { events } of followed) {
      expect(events.every(({ event }, at) => event?.revision === BigInt(at))).to.equal(true);
    }
    await Promise.all([...followed, fast].map((reader) => reader.stop()));
    await store.stop();
  });
});
