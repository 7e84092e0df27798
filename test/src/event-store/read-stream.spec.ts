import { expect } from 'chai';
import { BACKWARDS, END, FORWARDS, START } from '@eventstore/db-client';
import { connect, newStream, readAllOf, refusal, revisionsOf, someEvents } from './store.fixture.ts';

const count = 100;
const all = Array.from({ length: count }, (_, n) => n);

describe('event store: reads of a stream', function () {
  const stream = newStream();
  before(async () => {
    const client = await connect();
    for (let n = 0; n < count; n += 10) await client.appendToStream(stream, someEvents(10));
  });

  const read = async (options: Parameters<typeof readAllOf>[2]): Promise<number[]> =>
    revisionsOf(await readAllOf(await connect(), stream, options));

  it('16. forward: from the start, from a revision (which is included), with a count', async () => {
    expect(await read({})).to.deep.equal(all);
    expect(await read({ fromRevision: START, maxCount: 33 })).to.deep.equal(all.slice(0, 33));
    expect(await read({ fromRevision: 95n })).to.deep.equal(all.slice(95));
    expect(await read({ direction: FORWARDS, fromRevision: 31n, maxCount: 2 })).to.deep.equal([31, 32]);
  });

  it('16. backward: from the end, from a revision (which is included), with a count', async () => {
    const backwards = all.toReversed();
    expect(await read({ direction: BACKWARDS, fromRevision: END })).to.deep.equal(backwards);
    expect(await read({ direction: BACKWARDS, fromRevision: END, maxCount: 1 })).to.deep.equal([99]);
    expect(await read({ direction: BACKWARDS, fromRevision: 40n })).to.deep.equal(backwards.slice(59));
    expect(await read({ direction: BACKWARDS, fromRevision: START })).to.deep.equal([0]);
  });

  it('16. from beyond the end: forward is empty without an error, backward begins at the last event', async () => {
    expect(await read({ fromRevision: 100n })).to.deep.equal([]);
    expect(await read({ fromRevision: 2n ** 60n })).to.deep.equal([]);
    expect(await read({ direction: BACKWARDS, fromRevision: 5000n, maxCount: 2 })).to.deep.equal([99, 98]);
  });

  it('rejects a count of 0 and a forward read from the end', async () => {
    const client = await connect();
    expect(await refusal(readAllOf(client, stream, { maxCount: 0 }))).to.include({ type: 'unknown' });
    expect(await refusal(readAllOf(client, stream, { fromRevision: END }))).to.include({ type: 'unknown' });
  });

  it('reads interleaved streams, each in order', async () => {
    const client = await connect();
    const streams = Array.from({ length: 40 }, () => newStream());
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(streams.map((one) => client.appendToStream(one, someEvents(1 + (round % 3)))));
    }
    for (const one of streams) {
      expect(revisionsOf(await readAllOf(client, one))).to.deep.equal(all.slice(0, 12));
    }
  });

  it('streams 20 000 events in order', async () => {
    const client = await connect();
    const long = newStream();
    for (let n = 0; n < 20; n += 1) await client.appendToStream(long, someEvents(1000));
    const events = await readAllOf(client, long);
    expect(events).to.have.length(20_000);
    expect(events.every(({ event }, at) => event?.revision === BigInt(at))).to.equal(true);
    const backwards = await readAllOf(client, long, { direction: BACKWARDS, fromRevision: END });
    expect(backwards.every(({ event }, at) => event?.revision === BigInt(19_999 - at))).to.equal(true);
  });
});
