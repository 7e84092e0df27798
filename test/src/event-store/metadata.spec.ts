import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JSONType, jsonEvent } from '@eventstore/db-client';
import { connect, newStream, readAllOf, refusal, revisionsOf, someEvents } from './store.fixture.ts';

const backwards = { direction: 'backwards', fromRevision: 'end' } as const;

describe('event store: stream metadata', function () {
  this.timeout(60_000);

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
    await client.setStreamMetadata(stream, { maxAge: 1 });
    expect((await shown(stream)).forward).to.deep.equal([0, 1]);
    await sleep(1300);
    await client.appendToStream(stream, someEvents(1));
    expect(await shown(stream)).to.deep.equal({ forward: [2], backward: [2] });
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
});
