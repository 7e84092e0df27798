import { randomUUID } from 'node:crypto';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { startTestEventStore } from '../support/engines.ts';

const signal = new AbortController().signal;

describe('parts of the log', function () {
  this.timeout(60_000);
  let store: EventStore;
  let stop: () => Promise<void>;
  const positions: bigint[] = [];

  before(async () => {
    const node = await startTestEventStore();
    store = openEventStore({ url: node.url });
    stop = async () => {
      await store.close();
      await node.stop();
    };
    const metadata = { schemaVersion: 1, receivedAt: '2026-08-20T14:00:00.000Z' };
    for (let round = 0; round < 100; round += 1)
      for (const stream of ['odd-1', 'even-1']) {
        const event = { id: randomUUID(), type: 'Told', data: { round }, metadata };
        positions.push((await store.append(stream, [event])).position);
      }
  });
  after(() => stop());

  const followed = async (upTo: bigint, prefixes = ['odd-', 'even-'], after: bigint | 'start' = 'start') => {
    const found: bigint[] = [];
    for await (const each of store.subscribe({ after, prefixes, signal, upTo }))
      if (each.kind === 'event') found.push(each.event.position);
    return found;
  };

  it('end at their position, with and without later events', async () => {
    expect(await followed(positions[99]!)).to.deep.equal(positions.slice(0, 100));
    expect(await followed(positions.at(-1)!)).to.deep.equal(positions);
    expect(await followed(positions[60]!, undefined, positions[40])).to.deep.equal(positions.slice(41, 61));
  });

  it('end when no event of the subscribed streams follows', async () => {
    expect(await followed(positions[50]!, ['odd-'])).to.deep.equal(
      positions.slice(0, 51).filter((_, index) => index % 2 === 0),
    );
    expect(await followed(positions[50]!, ['none-'])).to.deep.equal([]);
  });

  it('are cut at events, at the requested distance', async () => {
    const marks: bigint[] = [];
    for await (const mark of store.readSplitPositions({ every: 20, upTo: positions[150]!, signal })) marks.push(mark);
    const places = marks.map((mark) => positions.indexOf(mark));
    expect(places).to.not.include(-1);
    expect(places).to.deep.equal([...places].sort((a, b) => a - b));
    expect(marks.length).to.be.within(6, 9);
    expect(places.every((place) => place < 150)).to.equal(true);
  });

  it('contain every event of the log once', async () => {
    const ends: bigint[] = [];
    const upTo = positions.at(-1)!;
    for await (const mark of store.readSplitPositions({ every: 7, upTo, signal })) ends.push(mark);
    const parts: bigint[] = [];
    for (const [index, end] of [...ends, upTo].entries())
      parts.push(...(await followed(end, undefined, index === 0 ? 'start' : ends[index - 1])));
    expect(parts).to.deep.equal(positions);
  });
});
