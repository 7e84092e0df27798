import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { spawnEventStore } from './spawned.fixture.ts';
import { type ProposedEvent, StreamStore } from '@popsvc/embedded/event-store/streams';
import { temporaryFolder } from '@popsvc/tools/rig';
import { connectTo, itsOwnNode, someEvents } from './store.fixture.ts';

const long = process.env['POPSVC_LONG'] === '1';
const count = long ? 10_000_000 : 200_000;
const streams = count / 200;
const perAppend = 100;
/** Limits in seconds and megabytes. The short form has no limit of time, because other specs run at the same time. */
const bounds = long
  ? { reopen: 10, rebuild: 60, resident: 600 }
  : { reopen: Infinity, rebuild: Infinity, resident: 250 };

const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
const secondsSince = (began: number): number => (performance.now() - began) / 1000;
const say = (text: string): void => void process.stdout.write(`      ${text}\n`);

const event = (n: number): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from('PlaysRecorded'),
  json: true,
  metadata: Buffer.alloc(0),
  data: Buffer.from(JSON.stringify({ n, filling: 'x'.repeat(380) })),
});

/** Writes like every append, but without the network. */
const fill = async (dir: string): Promise<void> => {
  const failed: unknown[] = [];
  const store = await StreamStore.open({ dir, fail: (error) => failed.push(error) });
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next += perAppend;
      const events = Array.from({ length: perAppend }, (_, n) => event(from + n));
      const outcome = await store.appender.append(`fill-${(from / perAppend) % streams}`, 'any', events);
      expect(outcome.is).to.equal('appended');
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(writer));
  await store.close();
  expect(failed).to.deep.equal([]);
};

describe('event store: large logs', function () {
  this.timeout(3_600_000);

  itsOwnNode(`bounds memory${long ? ' and the time to reopen' : ''} at ${count} events`, async () => {
    const dataDir = await temporaryFolder('bounded');
    const began = performance.now();
    await fill(dataDir);
    const bytes = readdirSync(dataDir).reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
    say(`filled ${count} events in ${secondsSince(began).toFixed(1)} s, ${(bytes / count).toFixed(0)} bytes an event`);

    const reopen = async (what: string, limit: number): Promise<void> => {
      const start = performance.now();
      const store = await spawnEventStore({ dataDir, port: 0 });
      const seconds = secondsSince(start);
      const opened = residentMegabytes(store.process.pid!);
      const client = connectTo(store.url);
      for (let n = 0; n < 300; n += 1) {
        const stream = `fill-${(n * 7919) % Math.min(streams, count / perAppend)}`;
        let seen = 0;
        for await (const { event: read } of client.readStream(stream, { maxCount: 20 })) {
          expect(read!.revision).to.equal(BigInt(seen));
          seen += 1;
        }
        expect(seen).to.equal(20);
      }
      const { position } = await client.appendToStream('after', someEvents(10));
      expect(position!.commit > BigInt(count) * 500n).to.equal(true);
      const used = residentMegabytes(store.process.pid!);
      say(
        `${what}: ready after ${seconds.toFixed(2)} s, ${opened.toFixed(0)} MB, ${used.toFixed(0)} MB after 300 reads`,
      );
      await client.dispose();
      await store.stop();
      expect(seconds).to.be.below(limit);
      expect(used).to.be.below(bounds.resident);
    };
    await reopen('opened again', bounds.reopen);
    for (const name of readdirSync(dataDir)) if (/\.(index|table)$/.test(name)) rmSync(join(dataDir, name));
    await reopen('opened without index and table', bounds.rebuild);
  });
});
