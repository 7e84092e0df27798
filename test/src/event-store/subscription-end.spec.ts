import { randomUUID } from 'node:crypto';
import { type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import { startTestEventStore } from '../support/engines.ts';

const signal = new AbortController().signal;

describe('a subscription with a last position', function () {
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
        const event = { id: randomUUID(), type: 'Recorded', data: { round }, metadata };
        positions.push((await store.append(stream, [event])).position);
      }
  });
  after(() => stop());

  const readPositions = async (upTo: bigint, prefixes = ['odd-', 'even-'], after: bigint | 'start' = 'start') => {
    const found: bigint[] = [];
    for await (const each of store.subscribe({ after, prefixes, signal, upTo }))
      if (each.kind === 'event') found.push(each.event.position);
    return found;
  };

  it('ends at that position, with and without later events', async () => {
    expect(await readPositions(positions[99]!)).to.deep.equal(positions.slice(0, 100));
    expect(await readPositions(positions.at(-1)!)).to.deep.equal(positions);
    expect(await readPositions(positions[60]!, undefined, positions[40])).to.deep.equal(positions.slice(41, 61));
  });

  it('ends when no event of its streams follows', async () => {
    expect(await readPositions(positions[50]!, ['odd-'])).to.deep.equal(
      positions.slice(0, 51).filter((_, index) => index % 2 === 0),
    );
    expect(await readPositions(positions[50]!, ['none-'])).to.deep.equal([]);
  });
});
