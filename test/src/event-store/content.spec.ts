import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { binaryEvent, jsonEvent } from '@eventstore/db-client';
import { follow } from './subscription.fixture.ts';
import { connect, itsOwnNode, newStream, readAllOf, refusal, someEvents } from './store.fixture.ts';

const unicode = 'Ünïcødé – 東京 🚉'; // cspell:disable-line

describe('event store: content of events', function () {
  it('25. returns JSON, binary, metadata of both kinds, Unicode and empty data unchanged', async () => {
    const client = await connect();
    const stream = newStream();
    const bytes = new Uint8Array(randomBytes(5000));
    const written = [
      jsonEvent({ type: unicode, data: { unicode, nested: [1, null, { deep: true }] }, metadata: { unicode } }),
      binaryEvent({ type: 'Bytes', data: bytes, metadata: new Uint8Array([0xff, 0, 1]) }),
      jsonEvent({ type: 'Empty', data: {} }),
      binaryEvent({ type: 'NoBytes', data: new Uint8Array() }),
    ];
    const sent = Date.now();
    await client.appendToStream(stream, written);
    const stored = Date.now();
    const events = (await readAllOf(client, stream)).map(({ event }) => event!);
    expect(events.map(({ id, type, isJson }) => ({ id, type, isJson }))).to.deep.equal(
      written.map(({ id, type, contentType }) => ({ id, type, isJson: contentType === 'application/json' })),
    );
    expect(events[0]!.data).to.deep.equal(written[0]!.data);
    expect(events[0]!.metadata).to.deep.equal({ unicode });
    expect(Buffer.from(events[1]!.data as Uint8Array).equals(bytes)).to.equal(true);
    expect([...(events[1]!.metadata as Uint8Array)]).to.deep.equal([0xff, 0, 1]);
    expect(events[2]!.metadata).to.equal(undefined);
    expect(events[3]!.data).to.have.length(0);
    for (const { created, streamId } of events) {
      // The clock of the server may be a second apart.
      expect(created.getTime()).to.be.within(sent - 1_000, stored + 1_000);
      expect(streamId).to.equal(stream);
    }
  });

  it('25. accepts stream names of any characters, also in the errors of appends', async () => {
    const client = await connect();
    const stream = `${newStream()}-${unicode}-"quoted" %41`;
    await client.appendToStream(stream, someEvents(2));
    expect((await readAllOf(client, stream)).map(({ event }) => event?.streamId)).to.deep.equal([stream, stream]);
    const stale = client.appendToStream(stream, someEvents(1), { expectedRevision: 0n });
    expect(await refusal(stale)).to.include({ type: 'wrong-expected-version', streamName: stream });
    const missing = `${newStream()}-${unicode}`;
    expect(await refusal(readAllOf(client, missing))).to.include({ type: 'stream-not-found' });
  });

  // EventStoreDB writes the name into a trailer as it is, which ends the call with an unrelated error.
  itsOwnNode('25. percent-encodes stream names of any characters in the trailers of errors', async () => {
    const client = await connect();
    const stream = `${newStream()}-${unicode}-"quoted" %41`;
    await client.appendToStream(stream, someEvents(2));
    const staleDelete = await refusal(client.deleteStream(stream, { expectedRevision: 0n }));
    expect(staleDelete).to.include({ type: 'wrong-expected-version', actualVersion: 1n });
    expect(staleDelete['message']).to.contain(stream);
    await client.tombstoneStream(stream);
    expect(await refusal(readAllOf(client, stream))).to.include({ type: 'stream-deleted' });
    expect(await refusal(client.appendToStream(stream, someEvents(1)))).to.include({
      type: 'stream-deleted',
      streamName: stream,
    });
  });

  itsOwnNode('rejects invalid stream names', async () => {
    const client = await connect();
    expect(await refusal(client.appendToStream('', someEvents(1)))).to.include({ type: 'unknown' });
    expect(await refusal(client.appendToStream('$$', someEvents(1)))).to.include({ type: 'unknown' });
  });

  it('25. resolves links to event and link, and a broken link to the link only', async () => {
    const client = await connect();
    const [target, links] = [newStream('target'), newStream('links')];
    await client.appendToStream(target, someEvents(3));
    const leadTo = [`1@${target}`, `0@${target}`, `9@${target}`, '0@nowhere', 'no link at all'];
    const events = leadTo.map((data) => binaryEvent({ type: '$>', data: Buffer.from(data) }));
    await client.appendToStream(links, events);
    const resolved = await readAllOf(client, links, { resolveLinkTos: true });
    expect(resolved.map(({ event, link }) => [event?.streamId, event?.revision, link?.revision])).to.deep.equal([
      [target, 1n, 0n],
      [target, 0n, 1n],
      [undefined, undefined, 2n],
      [undefined, undefined, 3n],
      // The data is no link, so the event is returned as it is.
      [links, 4n, undefined],
    ]);
    expect(resolved[0]!.commitPosition).to.equal(resolved[0]!.link!.position!.commit);
    const plain = await readAllOf(client, links);
    expect(plain.map(({ event, link }) => [event?.type, link])).to.deep.equal(leadTo.map(() => ['$>', undefined]));
    const followed = follow(client.subscribeToStream(links, { resolveLinkTos: true }));
    await followed.until(() => followed.events.length === 5);
    expect(followed.events[0]!.event?.streamId).to.equal(target);
    await followed.stop();
    await client.deleteStream(target);
    const after = await readAllOf(client, links, { resolveLinkTos: true });
    expect(after.map(({ event, link }) => [event, link?.revision])[0]).to.deep.equal([undefined, 0n]);
  });
});
