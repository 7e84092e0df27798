import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStoreDBClient, type JSONEventData, jsonEvent } from '@eventstore/db-client';
import { verifyLog } from '@popsvc/embedded/event-store';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { chooseRoundRange, chooseSeed, createFractions, openRoundResults } from '../support/rounds.ts';
import { createSmallDisk, type SmallDisk } from './small-disk.fixture.ts';
import { spawnEventStore } from './spawned.fixture.ts';
import { connectTo, itsOwnNode, readAllOf } from './store.fixture.ts';

const { first, last } = chooseRoundRange(2, 100);
const seed = chooseSeed(20_261);
const writers = 8;

interface RoundResult {
  readonly round: number;
  readonly disk: SmallDisk['kind'];
  /** Whether the node was killed while the disk was full or filled up. */
  readonly killed: boolean;
  /** Appends that the node refused because of the disk, and appends without a response because of the kill. */
  readonly refused: number;
  readonly unanswered: number;
  readonly acknowledged: number;
  /** Events that a read returned at the end. */
  readonly readable: number;
}

/** A stream, the ids of its acknowledged events, and the append that was refused or not answered. */
class Writer {
  readonly stream: string;
  readonly ids: string[] = [];
  open: { readonly events: readonly JSONEventData[]; readonly isRefused: boolean } | undefined;

  constructor(stream: string) {
    this.stream = stream;
  }

  async append(client: EventStoreDBClient, events: readonly JSONEventData[]): Promise<void> {
    this.open = { events, isRefused: false };
    const expectedRevision = this.ids.length === 0 ? 'no_stream' : BigInt(this.ids.length - 1);
    const outcome = await client.appendToStream(this.stream, [...events], { expectedRevision }).then(
      () => 'stored' as const,
      (error: unknown) => (error as Error).message,
    );
    if (outcome === 'stored') {
      this.ids.push(...events.map(({ id }) => id));
      this.open = undefined;
    } else if (outcome.includes('the disk of the event store is full')) this.open = { events, isRefused: true };
    else expect(outcome).to.match(/UNAVAILABLE|Unavailable|ECONNREFUSED|CANCELLED/);
  }
}

const idsIn = async (client: EventStoreDBClient, { stream }: Writer): Promise<string[]> => {
  const read: unknown = await readAllOf(client, stream).catch((error: unknown) => error);
  if (Array.isArray(read)) return (read as Awaited<ReturnType<typeof readAllOf>>).map(({ event }) => event!.id);
  expect(read).to.include({ type: 'stream-not-found' });
  return [];
};

const runRound = async (round: number): Promise<RoundResult> => {
  const random = createFractions(seed * 1_000 + round);
  const killed = round % 2 === 0;
  const disk = await createSmallDisk();
  const dataDir = join(disk.dir, 'log');
  // Small segments, so that the disk also fills up while a segment is created or added to the manifest.
  const env = { ...disk.env, EVENT_STORE_SEGMENT_BYTES: String(64 * 1024) };
  const someEvents = () =>
    Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
      jsonEvent({ type: 'Checked', data: { filling: 'x'.repeat(Math.floor(random() * 6_000)) } }),
    );
  let node = await spawnEventStore({ dataDir, port: 0, env });
  const all = Array.from({ length: writers }, (_, n) => new Writer(`full-${n}`));
  let client = connectTo(node.url);
  try {
    for (const writer of all.slice(0, 4)) await writer.append(client, someEvents());
    await disk.leave(Math.floor(random() * 400_000));
    const writing = all.map(async (writer) => {
      while (!writer.open) await writer.append(client, someEvents());
    });
    if (killed) {
      await Promise.race([Promise.all(writing), sleep(random() * 300)]);
      node.process.kill('SIGKILL');
      await once(node.process, 'exit');
    }
    await Promise.all(writing);
    const refused = all.filter(({ open }) => open?.isRefused).length;
    if (!killed) expect(refused, 'every writer was refused in the end').to.equal(writers);
    if (killed) {
      await client.dispose();
      node = await spawnEventStore({ dataDir, port: 0, env });
      client = connectTo(node.url);
    }
    // Reads on the full disk: all that was acknowledged, nothing that was refused, unanswered appends whole or not at all.
    for (const writer of all) {
      const found = await idsIn(client, writer);
      expect(found.slice(0, writer.ids.length), writer.stream).to.deep.equal(writer.ids);
      const more = found.slice(writer.ids.length);
      if (more.length === 0) continue;
      expect(writer.open?.isRefused, `${writer.stream}: nothing of a refused append is stored`).to.equal(false);
      expect(more, writer.stream).to.deep.equal(writer.open!.events.map(({ id }) => id));
    }
    await disk.clear();
    for (const writer of all) {
      const events = writer.open?.events;
      if (events)
        await waitUntil(
          () => writer.append(client, events),
          () => writer.open === undefined,
        );
      await writer.append(client, someEvents());
      expect(writer.open, 'there is room').to.equal(undefined);
    }
    let readable = 0;
    for (const writer of all) {
      const found = await idsIn(client, writer);
      expect(found, writer.stream).to.deep.equal(writer.ids);
      readable += found.length;
    }
    expect(await node.stop()).to.equal(0);
    const { damages, events } = await verifyLog(dataDir);
    expect(damages, JSON.stringify(damages)).to.deep.equal([]);
    expect(events).to.equal(readable);
    return {
      round,
      disk: disk.kind,
      killed,
      refused,
      unanswered: writers - refused,
      acknowledged: all.reduce((sum, { ids }) => sum + ids.length, 0),
      readable,
    };
  } finally {
    await client.dispose();
    if (node.process.exitCode === null && node.process.signalCode === null) {
      node.process.kill('SIGKILL');
      await once(node.process, 'exit');
    }
    disk.remove();
  }
};

describe(`event store: the disk fills up (rounds ${first} to ${last}, seed ${seed})`, function () {
  this.timeout((last - first + 1) * 30_000);

  itsOwnNode('loses nothing acknowledged, stores nothing refused, and accepts appends when there is room', async () => {
    const results = openRoundResults<RoundResult>('disk-full', seed);
    for (let round = first; round <= last; round += 1) if (!results.has(round)) results.add(await runRound(round));
    const { all } = results;
    const sum = (of: (result: RoundResult) => number) => all.reduce((total, result) => total + of(result), 0);
    const onTmpfs = all.filter(({ disk }) => disk === 'tmpfs').length;
    process.stdout.write(
      `      ${all.length} rounds, ${onTmpfs} of them on a tmpfs, ${all.filter(({ killed }) => killed).length} with a kill: ` +
        `${sum(({ acknowledged }) => acknowledged)} events acknowledged, ${sum(({ readable }) => readable)} readable, ` +
        `${sum(({ refused }) => refused)} appends refused, ${sum(({ unanswered }) => unanswered)} not answered\n`,
    );
    expect(sum(({ refused }) => refused)).to.be.above(0);
  });
});
