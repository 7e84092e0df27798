import { expect } from 'chai';
import { startTestEventStore } from '../support/engines.ts';
import { recordingProxy } from './recording-proxy.fixture.ts';
import {
  callCredentials,
  connectTo,
  itsOwnNode,
  itWithoutTls,
  newStream,
  readAllOf,
  refusal,
  someEvents,
  urlUnderTest,
} from './store.fixture.ts';

const features = 'server_features.ServerFeatures/GetSupportedMethods';
const batchAppend = 'streams.Streams/BatchAppend';
const append = 'streams.Streams/Append';
const read = 'streams.Streams/Read';

describe('event store: calls of the client', function () {
  itWithoutTls(
    '1. the first append queries the features once and opens one BatchAppend; reads do neither',
    async () => {
      const proxy = await recordingProxy(await urlUnderTest());
      const client = connectTo(proxy.url);
      const stream = newStream();
      await refusal(readAllOf(client, stream));
      expect(proxy.calls).to.deep.equal([read]);
      await Promise.all([1, 2, 3].map(() => client.appendToStream(stream, someEvents(1))));
      await client.appendToStream(stream, someEvents(1));
      await readAllOf(client, stream);
      expect(proxy.calls).to.deep.equal([read, features, batchAppend, read]);
      await client.dispose();
      proxy.close();
    },
  );

  itWithoutTls('2. credentials of the call switch to Append', async () => {
    const proxy = await recordingProxy(await urlUnderTest());
    const client = connectTo(proxy.url);
    const stream = newStream();
    const written = await client.appendToStream(stream, someEvents(2), { credentials: callCredentials });
    expect(proxy.calls).to.deep.equal([append]);
    expect((await readAllOf(client, stream)).at(-1)?.event?.position).to.deep.equal(written.position);
    await client.dispose();
    proxy.close();
  });

  itsOwnNode(
    '2. a node that does not advertise BatchAppend gets Append calls, with the same results and errors',
    async () => {
      const node = await startTestEventStore({ EVENT_STORE_BATCH_APPEND: '0' });
      const proxy = await recordingProxy(node.url);
      const client = connectTo(proxy.url);
      const stream = newStream();
      const events = someEvents(2);
      const first = await client.appendToStream(stream, events, { expectedRevision: 'no_stream' });
      expect(first).to.include({ success: true, nextExpectedRevision: 1n });
      expect(await client.appendToStream(stream, events, { expectedRevision: 'no_stream' })).to.deep.equal(first);
      const stale = client.appendToStream(stream, someEvents(1), { expectedRevision: 0n });
      const wrong = { type: 'wrong-expected-version', streamName: stream, expectedVersion: 0n, actualVersion: 1n };
      expect(await refusal(stale)).to.include(wrong);
      await client.tombstoneStream(stream);
      const ended = client.appendToStream(stream, someEvents(1));
      expect(await refusal(ended)).to.include({ type: 'stream-deleted', streamName: stream });
      expect(new Set(proxy.calls)).to.deep.equal(new Set([features, append, 'streams.Streams/Tombstone']));
      await client.dispose();
      proxy.close();
      await node.stop();
    },
  );
});
