import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JSONType, jsonEvent } from '@eventstore/db-client';
import { batch, proposed, sendBatches } from './batch-append.fixture.ts';
import { connect, newStream, rawClient, readAllOf, refusal, revisionsOf, someEvents } from './store.fixture.ts';

const backwards = { direction: 'backwards', fromRevision: 'end' } as const;

describe('event store: stream metadata', function () {
  const shown = async (stream: string): Promise<{ forward: number[]; backward: number[] }> => {
    const client = await connect();
    return {
      forward: revisionsOf(await readAllOf(client, stream)),
      backward: revisionsOf(await readAllOf(client, stream, backwards)),
    };
  };

  it('19. maxCount keeps the last events, in both directions', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(50));
    await client.setStreamMetadata(stream, { maxCount: 3 });
    expect(await shown(stream)).to.deep.equal({ forward: [47, 48, 49], backward: [49, 48, 47] });
    await client.appendToStream(stream, someEvents(1));
    expect(await shown(stream)).to.deep.equal({ forward: [48, 49, 50], backward: [50, 49, 48] });
    expect(revisionsOf(await readAllOf(client, stream, { fromRevision: 10n, maxCount: 2 }))).to.deep.equal([48, 49]);
  });

  it('19. truncateBefore hides earlier events; a stream with all events hidden is empty, not missing', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(5));
    await client.setStreamMetadata(stream, { truncateBefore: 3 });
    expect(await shown(stream)).to.deep.equal({ forward: [3, 4], backward: [4, 3] });
    await client.setStreamMetadata(stream, { truncateBefore: 100 });
    expect(await shown(stream)).to.deep.equal({ forward: [], backward: [] });
  });

  it('19. maxAge hides older events at the time of the read', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(2));
    await client.setStreamMetadata(stream, { maxAge: 3_600 });
    expect((await shown(stream)).forward).to.deep.equal([0, 1]);
    await client.setStreamMetadata(stream, { maxAge: 1 });
    let [last, sent, seen] = [1, 0, { forward: [0], backward: [0] }];
    // Again if the last event may have become too old before it was read.
    do {
      await sleep(1_300);
      sent = performance.now();
      await client.appendToStream(stream, someEvents(1));
      last += 1;
      seen = await shown(stream);
    } while (performance.now() - sent >= 1_000);
    expect(seen).to.deep.equal({ forward: [last], backward: [last] });
  });

  it('19. $$stream returns its last event only, and its revisions continue', async () => {
    const client = await connect();
    const stream = newStream();
    for (const maxCount of [5, 6, 7]) await client.setStreamMetadata(stream, { maxCount });
    expect(await shown(`$$${stream}`)).to.deep.equal({ forward: [2], backward: [2] });
    expect((await client.getStreamMetadata(stream)).metadata).to.deep.equal({ maxCount: 7 });
    const stale = client.setStreamMetadata(stream, { maxCount: 1 }, { expectedRevision: 0n });
    expect(await refusal(stale)).to.include({ type: 'wrong-expected-version', actualVersion: 2n });
  });

  it('metadata that is invalid or without limits hides nothing', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(3));
    for (const data of [{ $maxCount: 0 }, { $maxCount: -1, $maxAge: 0, $tb: -5 }, { $maxCount: 'two' }, [1], null]) {
      await client.appendToStream(`$$${stream}`, jsonEvent({ type: '$metadata', data: data as JSONType }));
      expect((await shown(stream)).forward, JSON.stringify(data)).to.deep.equal([0, 1, 2]);
    }
  });

  /** Appends metadata as JSON text, because the client's encoder cannot write every number. */
  const setMetadataText = async (stream: string, text: string): Promise<void> => {
    const message = proposed(Buffer.from(text));
    message.getMetadataMap().set('type', '$metadata').set('content-type', 'application/json');
    const request = batch({ id: randomUUID(), stream: `$$${stream}`, isFinal: true, events: [message] });
    const [answer] = await sendBatches(await rawClient(), [request]);
    expect(answer!.hasSuccess(), text).to.equal(true);
  };

  it('metadata with a number that is not a 64-bit integer is ignored as a whole', async () => {
    const client = await connect();
    const [stream, other] = [newStream(), newStream()];
    for (let n = 0; n < 3; n += 1) {
      await client.appendToStream(stream, someEvents(1));
      await client.appendToStream(other, someEvents(1));
    }
    const texts = [
      '{"$tb":1.5}',
      '{"$maxCount":1.5}',
      '{"$maxCount":1.0}',
      '{"$tb":1e0}',
      '{"$maxAge":0.001}',
      '{"$maxCount":1,"$cacheControl":0.5}',
      '{"$maxCount":1,"$tb":9223372036854775808}',
      '{"$maxCount":1,"$maxAge":null}',
      '{"$maxCount":1,"$acl":{"$r":7}}',
    ];
    for (const text of texts) {
      await setMetadataText(stream, text);
      expect(await shown(stream), text).to.deep.equal({ forward: [0, 1, 2], backward: [2, 1, 0] });
      const streams = (await readAllOf(client, stream, { fromRevision: 1n })).map(({ event }) => event!.streamId);
      expect(streams, text).to.deep.equal([stream, stream]);
    }
    await setMetadataText(stream, '{"$maxCount":1,"$acl":{"$r":["a"],"$w":"b"},"own":1.5}');
    expect(await shown(stream)).to.deep.equal({ forward: [2], backward: [2] });
  });
});
