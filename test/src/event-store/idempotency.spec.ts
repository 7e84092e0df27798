import { expect } from 'chai';
import { type AppendExpectedRevision } from '@eventstore/db-client';
import { startTestEventStore } from '../support/engines.ts';
import { connect, connectTo, itsOwnNode, newStream, readAllOf, refusal, someEvents } from './store.fixture.ts';

const wrong = { type: 'wrong-expected-version' };

describe('event store: repeated appends', function () {
  for (const repeated of ['no_stream', 1n] as const) {
    it(`7. the same ids with the same expected revision (${repeated}) give the same response and no new event`, async () => {
      const client = await connect();
      const stream = newStream();
      if (repeated === 1n) await client.appendToStream(stream, someEvents(2));
      const events = someEvents(3);
      const first = await client.appendToStream(stream, events, { expectedRevision: repeated });
      await client.appendToStream(stream, someEvents(2), { expectedRevision: 'any' });
      const count = (await readAllOf(client, stream)).length;
      expect(await client.appendToStream(stream, events, { expectedRevision: repeated })).to.deep.equal(first);
      const part = await client.appendToStream(stream, events.slice(0, 2), { expectedRevision: repeated });
      expect(part.nextExpectedRevision).to.equal(first.nextExpectedRevision - 1n);
      expect(await readAllOf(client, stream)).to.have.length(count);
    });
  }

  itsOwnNode('8. the same applies after a restart of the server, for ids that are only in the log', async () => {
    const node = await startTestEventStore();
    const stream = newStream();
    const events = someEvents(40);
    const append = (revision: AppendExpectedRevision) =>
      connectTo(node.url).appendToStream(stream, events, { expectedRevision: revision });
    const first = await append('no_stream');
    await connectTo(node.url).appendToStream(stream, someEvents(3));
    await node.restart();
    expect(await append('no_stream')).to.deep.equal(first);
    expect(await readAllOf(connectTo(node.url), stream)).to.have.length(43);
    await node.stop();
  });

  itsOwnNode('8. a repeated append whose events are hidden succeeds without a position', async () => {
    const client = await connect();
    const stream = newStream();
    const events = someEvents(2);
    await client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
    await client.appendToStream(stream, someEvents(2));
    await client.setStreamMetadata(stream, { truncateBefore: 3 });
    const again = await client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
    expect(again.nextExpectedRevision).to.equal(1n);
    expect(again.position).to.equal(undefined);
  });

  it('9. ids that match only partly below the current revision are a wrong version, and nothing is written', async () => {
    const client = await connect();
    const stream = newStream();
    const [a, b, c] = someEvents(3);
    await client.appendToStream(stream, [a!, b!, c!], { expectedRevision: 'no_stream' });
    const attempts = [
      [a!, ...someEvents(1)],
      [...someEvents(1), b!],
      [b!, c!],
      [a!, b!, c!, ...someEvents(1)],
      someEvents(1),
    ];
    for (const events of attempts) {
      expect(await refusal(client.appendToStream(stream, events, { expectedRevision: 'no_stream' }))).to.include(wrong);
    }
    expect(await readAllOf(client, stream)).to.have.length(3);
  });

  it('10. with any, known ids are idempotent; a known id is new in another stream', async () => {
    const client = await connect();
    const [stream, other] = [newStream(), newStream()];
    const events = someEvents(3);
    const first = await client.appendToStream(stream, events, { expectedRevision: 'any' });
    expect(await client.appendToStream(stream, events, { expectedRevision: 'any' })).to.deep.equal(first);
    expect(await client.appendToStream(stream, events, { expectedRevision: 'stream_exists' })).to.deep.equal(first);
    const mixed = client.appendToStream(stream, [events[0]!, ...someEvents(1)], { expectedRevision: 'any' });
    expect(await refusal(mixed)).to.include(wrong);
    const elsewhere = await client.appendToStream(other, events, { expectedRevision: 'any' });
    expect(elsewhere.nextExpectedRevision).to.equal(2n);
    const known = await client.appendToStream(stream, [...someEvents(1), events[1]!], { expectedRevision: 'any' });
    expect(known.nextExpectedRevision, 'an unknown first id is an append').to.equal(4n);
  });

  it('10. concurrent repetitions get the same response, and one append accepts the same id twice', async () => {
    const client = await connect();
    const stream = newStream();
    const events = someEvents(5);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.appendToStream(stream, events, { expectedRevision: 'no_stream' })),
    );
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(await readAllOf(client, stream)).to.have.length(5);
    const [twice] = someEvents(1);
    await client.appendToStream(stream, [twice!, twice!], { expectedRevision: 4n });
    expect(await readAllOf(client, stream)).to.have.length(7);
  });
});
