import { expect } from 'chai';
import { type EventStoreDBClient, type JSONEventData } from '@eventstore/db-client';
import { startTestEventStore } from '../support/engines.ts';
import { chooseRounds, chooseSeed, createFractions } from '../support/rounds.ts';
import { connectTo, itsOwnNode, refusal, someEvents } from './store.fixture.ts';

const rounds = chooseRounds(6, 200);
const seed = chooseSeed(20_261);
const writers = 40;

/** A stream and all appends to it, in order; the last one may be unacknowledged. */
class Writer {
  readonly stream: string;
  readonly ids: string[] = [];
  readonly positions = new Map<string, bigint>();
  /** Sent and not acknowledged when the node was killed. */
  unanswered: readonly JSONEventData[] = [];

  constructor(stream: string) {
    this.stream = stream;
  }

  async append(client: EventStoreDBClient, events: readonly JSONEventData[]): Promise<void> {
    this.unanswered = events;
    const expectedRevision = this.ids.length === 0 ? 'no_stream' : BigInt(this.ids.length - 1);
    const { position, nextExpectedRevision } = await client.appendToStream(this.stream, [...events], {
      expectedRevision,
    });
    this.unanswered = [];
    this.ids.push(...events.map(({ id }) => id));
    this.positions.set(this.ids.at(-1)!, position!.commit);
    expect(nextExpectedRevision).to.equal(BigInt(this.ids.length - 1));
  }
}

/** Ids after the first `known` events of a stream. */
const idsBehind = async (client: EventStoreDBClient, { stream, ids }: Writer): Promise<string[]> => {
  const found: string[] = [];
  const reading = (async () => {
    for await (const { event } of client.readStream(stream, { fromRevision: BigInt(ids.length) }))
      found.push(event!.id);
  })();
  const error = await refusal(reading);
  expect(['was not rejected', 'stream-not-found']).to.include(error['type']);
  return found;
};

describe('event store: kill -9', function () {
  this.timeout(rounds * 10_000);

  itsOwnNode(
    `11, 12. ${rounds} kills: nothing acknowledged is lost, no append is torn, no revision is missing`,
    async () => {
      const node = await startTestEventStore({ EVENT_STORE_SEGMENT_BYTES: String(2 * 1024 * 1024) });
      const random = createFractions(seed);
      const all = Array.from({ length: writers }, (_, n) => new Writer(`kill-${n}`));
      const tally = { acknowledged: 0, landed: 0, retried: 0 };
      for (let round = 0; round < rounds; round += 1) {
        const client = connectTo(node.url);
        let killed = false;
        const writing = all.map(async (writer) => {
          while (!killed) await writer.append(client, someEvents(1 + Math.floor(random() * 5)));
        });
        const outcomes = Promise.allSettled(writing);
        await new Promise((resolve) => setTimeout(resolve, 30 + random() * 250));
        await node.kill9();
        killed = true;
        for (const outcome of await outcomes) {
          if (outcome.status === 'rejected')
            expect(String(outcome.reason)).to.match(/UNAVAILABLE|Unavailable|ECONNREFUSED/);
        }
        await client.dispose();
        await node.restart();
        const next = connectTo(node.url);
        for (const writer of all) {
          const sent = writer.unanswered.map(({ id }) => id);
          const found = await idsBehind(next, writer);
          if (found.length > 0) expect(found, `${writer.stream}: whole or not at all`).to.deep.equal(sent);
          if (sent.length === 0) continue;
          tally.retried += 1;
          if (found.length > 0) tally.landed += 1;
          await writer.append(next, writer.unanswered);
        }
        await next.dispose();
      }
      const client = connectTo(node.url);
      let last = 0n;
      const stored = new Map(all.map(({ stream }) => [stream, [] as string[]]));
      for await (const { event } of client.readAll()) {
        const { streamId, id, revision, position } = event!;
        expect(position.commit > last, 'positions grow').to.equal(true);
        last = position.commit;
        expect(revision).to.equal(BigInt(stored.get(streamId)!.push(id) - 1));
      }
      for (const { stream, ids, positions } of all) {
        tally.acknowledged += ids.length;
        expect(stored.get(stream), stream).to.deep.equal(ids);
        expect(positions.size).to.be.above(0);
      }
      process.stdout.write(
        `      seed ${seed}: ${tally.acknowledged} events, ${tally.retried} appends retried, ${tally.landed} of them had landed\n`,
      );
      await client.dispose();
      await node.stop();
    },
  );
});
