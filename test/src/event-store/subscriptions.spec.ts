import { expect } from 'chai';
import { END, START, jsonEvent } from '@eventstore/db-client';
import { follow } from './subscription.fixture.ts';
import { connect, itsOwnNode, newStream, readAllOf, someEvents } from './store.fixture.ts';

describe('event store: subscriptions', function () {
  it('22. confirmation first, then history, one caughtUp, then live events', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(3, 'Old'));
    const followed = follow(client.subscribeToStream(stream, { fromRevision: START }));
    await followed.until(() => followed.story.includes('caughtUp'));
    await client.appendToStream(stream, someEvents(2, 'New'));
    await followed.until(() => followed.events.length === 5);
    expect(followed.story).to.deep.equal(['confirmation', 'Old', 'Old', 'Old', 'caughtUp', 'New', 'New']);
    await followed.stop();
  });

  it('22. subscribes to a stream that does not exist yet', async () => {
    const client = await connect();
    const stream = newStream();
    const followed = follow(client.subscribeToStream(stream, { fromRevision: START }));
    await followed.until(() => followed.story.includes('confirmation'));
    await client.appendToStream(stream, someEvents(2));
    await followed.until(() => followed.events.length === 2);
    expect(followed.story.filter((what) => what !== 'caughtUp')).to.deep.equal(['confirmation', 'Checked', 'Checked']);
    await followed.stop();
  });

  // EventStoreDB 24.10 does the same. 23.10 reports caughtUp only once the stream exists.
  itsOwnNode('22. reports caughtUp at once on a stream that does not exist yet', async () => {
    const client = await connect();
    const followed = follow(client.subscribeToStream(newStream(), { fromRevision: START }));
    await followed.until(() => followed.story.includes('caughtUp'));
    expect(followed.story).to.deep.equal(['confirmation', 'caughtUp']);
    await followed.stop();
  });

  it('21. subscribes to a stream after a revision, or from its end', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(10));
    const behind = follow(client.subscribeToStream(stream, { fromRevision: 6n }));
    const atEnd = follow(client.subscribeToStream(stream, { fromRevision: END }));
    await atEnd.until(() => atEnd.story.includes('caughtUp'));
    await client.appendToStream(stream, someEvents(1));
    await behind.until(() => behind.events.length === 4);
    await atEnd.until(() => atEnd.events.length === 1);
    expect(behind.events.map(({ event }) => event!.revision)).to.deep.equal([7n, 8n, 9n, 10n]);
    expect(atEnd.events.map(({ event }) => event!.revision)).to.deep.equal([10n]);
    await Promise.all([behind.stop(), atEnd.stop()]);
  });

  it('21. no gap and no duplicate under concurrent writes, from any position and on a stream', async () => {
    const client = await connect();
    const writer = await connect();
    const streams = Array.from({ length: 8 }, () => newStream('flow'));
    const { position } = await client.appendToStream(newStream('mark'), someEvents(1));
    const writing = Promise.all(
      streams.map(async (stream) => {
        for (let n = 0; n < 100; n += 1) await writer.appendToStream(stream, someEvents(1 + (n % 3)));
      }),
    );
    const all = follow(client.subscribeToAll({ fromPosition: position! }));
    const one = follow(client.subscribeToStream(streams[0]!, { fromRevision: START }));
    await writing;
    const ofStream = (stream: string): bigint[] =>
      all.events.filter(({ event }) => event?.streamId === stream).map(({ event }) => event!.revision);
    await all.until(() => streams.every((stream) => ofStream(stream).length >= 199));
    await one.until(() => one.events.length >= 199);
    const expected = Array.from({ length: 199 }, (_, n) => BigInt(n));
    for (const stream of streams) expect(ofStream(stream)).to.deep.equal(expected);
    expect(one.events.map(({ event }) => event!.revision)).to.deep.equal(expected);
    const middle = all.events[400]!.event!.position!;
    const again = follow(client.subscribeToAll({ fromPosition: middle }));
    await again.until(() => again.events.length >= all.events.length - 401);
    const ids = (events: typeof all.events): string[] => events.map(({ event }) => event!.id);
    expect(ids(again.events).slice(0, 1000)).to.deep.equal(ids(all.events).slice(401, 1401));
    await Promise.all([all.stop(), one.stop(), again.stop()]);
  });

  it('applies the limits of a stream to its history and not to live events', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(5, 'Old'));
    await client.setStreamMetadata(stream, { maxCount: 2 });
    const followed = follow(client.subscribeToStream(stream, { fromRevision: START }));
    await followed.until(() => followed.story.includes('caughtUp'));
    await client.appendToStream(stream, someEvents(4, 'New'));
    await followed.until(() => followed.events.length === 6);
    expect(followed.events.map(({ event }) => Number(event!.revision))).to.deep.equal([3, 4, 5, 6, 7, 8]);
    expect(await readAllOf(client, stream)).to.have.length(2);
    await followed.stop();
  });

  it('delivers a live tombstone and then ends with StreamDeleted', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, jsonEvent({ type: 'Only', data: {} }));
    const followed = follow(client.subscribeToStream(stream, { fromRevision: START }));
    await followed.until(() => followed.story.includes('caughtUp'));
    await client.tombstoneStream(stream);
    const error: unknown = await followed.until(() => false).catch((failure: unknown) => failure);
    expect(error).to.include({ type: 'stream-deleted', streamName: stream });
    expect(followed.story).to.deep.equal(['confirmation', 'Only', 'caughtUp', '$streamDeleted']);
  });
});
