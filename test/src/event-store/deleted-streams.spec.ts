import { expect } from 'chai';
import { once } from 'node:events';
import { START, jsonEvent } from '@eventstore/db-client';
import { connect, newStream, readAllOf, refusal, revisionsOf, someEvents } from './store.fixture.ts';

const deleted = { type: 'stream-deleted' };
const notFound = { type: 'stream-not-found' };

describe('event store: missing, deleted and tombstoned streams', function () {
  it('17. a missing stream is StreamNotFound; so is one that has only metadata', async () => {
    const client = await connect();
    const [missing, described] = [newStream(), newStream()];
    expect(await refusal(readAllOf(client, missing))).to.include(notFound);
    expect(await refusal(readAllOf(client, missing, { direction: 'backwards', fromRevision: 'end' }))).to.include(
      notFound,
    );
    await client.setStreamMetadata(described, { maxCount: 3 });
    expect(await refusal(readAllOf(client, described))).to.include(notFound);
  });

  it('17. a tombstoned stream is StreamDeleted on read, append, delete and subscribe', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(2));
    const { position } = await client.tombstoneStream(stream, { expectedRevision: 1n });
    expect(position!.commit > 0n).to.equal(true);
    expect(await refusal(readAllOf(client, stream))).to.include({ ...deleted, streamName: stream });
    for (const expectedRevision of ['any', 'no_stream', 'stream_exists', 1n] as const) {
      const append = client.appendToStream(stream, someEvents(1), { expectedRevision });
      expect(await refusal(append)).to.include({ ...deleted, streamName: stream });
    }
    expect(await refusal(client.deleteStream(stream))).to.include(deleted);
    expect(await refusal(client.tombstoneStream(stream))).to.include(deleted);
    const [error] = (await once(client.subscribeToStream(stream, { fromRevision: START }).resume(), 'error')) as [
      object,
    ];
    expect(error).to.include(deleted);
  });

  it('17. a tombstone is accepted for a missing stream, and checked against the expected revision', async () => {
    const client = await connect();
    const [never, existing] = [newStream(), newStream()];
    await client.tombstoneStream(never);
    expect(await refusal(client.appendToStream(never, someEvents(1)))).to.include(deleted);
    await client.appendToStream(existing, someEvents(3));
    const error = await refusal(client.tombstoneStream(existing, { expectedRevision: 1n }));
    expect(error).to.include({ type: 'wrong-expected-version', expectedVersion: 1n, actualVersion: 2n });
    expect(error['streamName']).to.equal(existing);
  });

  it('18. after a soft delete only new events are readable, with continued revisions', async () => {
    const client = await connect();
    const stream = newStream();
    const first = await client.appendToStream(stream, someEvents(3));
    await client.deleteStream(stream, { expectedRevision: 2n });
    expect(await refusal(readAllOf(client, stream))).to.include(notFound);
    const again = await client.appendToStream(stream, someEvents(2), { expectedRevision: 'no_stream' });
    expect(again.nextExpectedRevision).to.equal(4n);
    expect(revisionsOf(await readAllOf(client, stream))).to.deep.equal([3, 4]);
    expect((await client.getStreamMetadata(stream)).metadata).to.deep.equal({ truncateBefore: 3 });
    const old: string[] = [];
    for await (const { event } of client.readAll({ fromPosition: first.position!, maxCount: 1 }))
      old.push(event!.streamId);
    expect(old, '$all keeps the old ones').to.deep.equal([stream]);
  });

  it('18. the exact revision is accepted after a soft delete, and a stream may be deleted twice', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(3));
    await client.deleteStream(stream);
    await client.deleteStream(stream);
    const again = await client.appendToStream(stream, someEvents(1), { expectedRevision: 2n });
    expect(again.nextExpectedRevision).to.equal(3n);
    await client.deleteStream(stream, { expectedRevision: 3n });
    await client.appendToStream(stream, someEvents(1));
    expect(revisionsOf(await readAllOf(client, stream))).to.deep.equal([4]);
  });

  it('18. a delete is checked against the expected revision; a missing stream cannot be deleted', async () => {
    const client = await connect();
    const [stream, never] = [newStream(), newStream()];
    await client.appendToStream(stream, someEvents(3));
    const stale = await refusal(client.deleteStream(stream, { expectedRevision: 0n }));
    expect(stale).to.include({ type: 'wrong-expected-version', expectedVersion: 0n, actualVersion: 2n });
    const missing = await refusal(client.deleteStream(never));
    expect(missing).to.include({ type: 'wrong-expected-version', expectedVersion: -2n, actualVersion: -1n });
  });

  it('18. metadata written to a deleted stream leaves its old events hidden', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(3));
    await client.deleteStream(stream);
    await client.appendToStream(`$$${stream}`, jsonEvent({ type: '$metadata', data: { owner: 'depot' } }));
    await client.appendToStream(stream, someEvents(1));
    expect(revisionsOf(await readAllOf(client, stream))).to.deep.equal([3]);
    expect((await client.getStreamMetadata(stream)).metadata).to.include({ owner: 'depot', truncateBefore: 3 });
  });
});
