import { expect } from 'chai';
import { callCredentials, connect, newStream, readAllOf, refusal, revisionsOf, someEvents } from './store.fixture.ts';

describe('event store: expected revisions', function () {
  for (const rpc of ['BatchAppend', 'Append'] as const) {
    const options = rpc === 'Append' ? { credentials: callCredentials } : {};

    it(`3. no_stream gives revision 0 on a new stream, and a wrong version on an existing one (${rpc})`, async () => {
      const client = await connect();
      const stream = newStream();
      const first = await client.appendToStream(stream, someEvents(1), { expectedRevision: 'no_stream', ...options });
      expect(first.nextExpectedRevision).to.equal(0n);
      await client.appendToStream(stream, someEvents(2), { expectedRevision: 0n, ...options });
      const error = await refusal(
        client.appendToStream(stream, someEvents(1), { expectedRevision: 'no_stream', ...options }),
      );
      expect(error).to.include({ type: 'wrong-expected-version', actualVersion: 2n, expectedVersion: 'no_stream' });
      expect(error).to.include({ streamName: stream });
    });

    it(`4. the exact revision succeeds; a lower and a higher one are rejected with both versions (${rpc})`, async () => {
      const client = await connect();
      const stream = newStream();
      await client.appendToStream(stream, someEvents(3), { expectedRevision: 'no_stream', ...options });
      const exact = await client.appendToStream(stream, someEvents(2), { expectedRevision: 2n, ...options });
      expect(exact.nextExpectedRevision).to.equal(4n);
      for (const expectedRevision of [0n, 3n, 5n, 2n ** 62n]) {
        const error = await refusal(client.appendToStream(stream, someEvents(1), { expectedRevision, ...options }));
        expect(error).to.include({
          type: 'wrong-expected-version',
          actualVersion: 4n,
          expectedVersion: expectedRevision,
        });
      }
      const missing = newStream();
      const error = await refusal(client.appendToStream(missing, someEvents(1), { expectedRevision: 0n, ...options }));
      expect(error).to.include({ actualVersion: 'no_stream', expectedVersion: 0n });
      expect(revisionsOf(await readAllOf(client, stream))).to.deep.equal([0, 1, 2, 3, 4]);
    });

    it(`5. stream_exists requires events or metadata, and rejects a deleted stream (${rpc})`, async () => {
      const client = await connect();
      const [missing, existing, described] = [newStream(), newStream(), newStream()];
      const exists = { expectedRevision: 'stream_exists', ...options } as const;
      expect(await refusal(client.appendToStream(missing, someEvents(1), exists))).to.include({
        type: 'wrong-expected-version',
        actualVersion: 'no_stream',
        expectedVersion: 'stream_exists',
      });
      await client.appendToStream(existing, someEvents(1));
      expect((await client.appendToStream(existing, someEvents(1), exists)).nextExpectedRevision).to.equal(1n);
      await client.setStreamMetadata(described, { maxCount: 10 });
      expect((await client.appendToStream(described, someEvents(1), exists)).nextExpectedRevision).to.equal(0n);
      await client.deleteStream(existing);
      expect(await refusal(client.appendToStream(existing, someEvents(1), exists))).to.include({
        type: 'stream-deleted',
      });
    });
  }

  it('6. any appends without a condition; 256 concurrent appends give contiguous revisions', async () => {
    const client = await connect();
    const stream = newStream();
    const results = await Promise.all(
      Array.from({ length: 256 }, () => client.appendToStream(stream, someEvents(1), { expectedRevision: 'any' })),
    );
    const revisions = results.map(({ nextExpectedRevision }) => Number(nextExpectedRevision)).sort((a, b) => a - b);
    expect(revisions).to.deep.equal(Array.from({ length: 256 }, (_, n) => n));
    expect(revisionsOf(await readAllOf(client, stream))).to.deep.equal(revisions);
  });

  it('returns a position and the current revision for an empty append', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(2));
    const nothing = await client.appendToStream(stream, []);
    expect(nothing.nextExpectedRevision).to.equal(1n);
    expect(nothing.position).to.not.equal(undefined);
    expect(await refusal(client.appendToStream(stream, [], { expectedRevision: 0n }))).to.include({
      type: 'wrong-expected-version',
    });
    expect(await readAllOf(client, stream)).to.have.length(2);
  });

  it('returns the conflict instead of an error on request', async () => {
    const client = await connect('&throwOnAppendFailure=false');
    const stream = newStream();
    await client.appendToStream(stream, someEvents(3));
    const refused = await client.appendToStream(stream, someEvents(1), { expectedRevision: 'no_stream' });
    expect(refused.success).to.equal(false);
  });
});
