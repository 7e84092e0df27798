import { expect } from 'chai';
import { START } from '@eventstore/db-client';
import { startEventStoreNode } from '@popsvc/embedded/event-store';
import { EventLogDamaged, openEventStore } from '@popsvc/platform/event-store';
import { closedLog, flipBit, numbersUpTo, openLog, segmentFile } from './log.fixture.ts';
import { connectTo, itsOwnNode, readAllOf, refusal, revisionsOf, someEvents } from './store.fixture.ts';

const dataLoss = 15;

describe('event store: damage that a reader meets', function () {
  /** A node whose sealed first segment is damaged in the fourth append. */
  const damagedNode = async () => {
    const segmentBytes = 8192;
    const { dir, positions } = await closedLog({ segmentBytes });
    // Adds all sealed segments to the manifest, so their frames are not read when the node starts.
    await (await openLog(dir, { segmentBytes })).store.close();
    flipBit(segmentFile(dir), positions[1]! + 100);
    const node = await startEventStoreNode({ dataDir: dir, port: 0, segmentBytes });
    return { node, url: `esdb://127.0.0.1:${node.port}?tls=false`, at: positions[1]!, positions };
  };

  itsOwnNode('ends reads and subscriptions with DATA_LOSS at the position, and serves what is whole', async () => {
    const { node, url, at } = await damagedNode();
    const client = connectTo(url);
    const seen: number[] = [];
    const readAll = async () => {
      for await (const { event } of client.readAll()) seen.push(Number(event!.revision));
    };
    const error = await refusal(readAll());
    expect(error).to.include({ code: dataLoss });
    expect(error['message']).to.contain(`no whole record at position ${at}`).and.to.contain('popsvc log verify');
    expect(seen).to.deep.equal(numbersUpTo(9));
    const position = BigInt(at);
    const others: [string, AsyncIterable<unknown>][] = [
      ['a subscription', client.subscribeToAll({ fromPosition: START })],
      [
        'one that resumes at the position',
        client.subscribeToAll({ fromPosition: { commit: position, prepare: position } }),
      ],
      ['a backward read', client.readAll({ direction: 'backwards', fromPosition: 'end' })],
    ];
    for (const [what, read] of others) expect(await refusal(readToEnd(read)), what).to.include({ code: dataLoss });
    expect(revisionsOf(await readAllOf(client, 's', { fromRevision: 50n }))).to.have.length(50);
    expect((await client.appendToStream('s', someEvents(1))).nextExpectedRevision).to.equal(100n);
    await client.dispose();
    await node.close();
  });

  itsOwnNode('is an error of its own in the adapter of the services', async () => {
    const { node, url, at } = await damagedNode();
    const store = openEventStore({ url });
    const stop = new AbortController();
    let events = 0;
    const follow = async () => {
      for await (const item of store.subscribe({ after: 'start', prefixes: ['s'], signal: stop.signal }))
        if (item.kind === 'event') events += 1;
    };
    const error = await follow().catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(EventLogDamaged);
    expect((error as Error).message).to.match(/^the event log is damaged: no whole record at position/);
    expect((error as Error).message).to.contain(String(at));
    expect(events).to.equal(9);
    await store.close();
    await node.close();
  });
});

const readToEnd = async (items: AsyncIterable<unknown>): Promise<unknown[]> => {
  const read: unknown[] = [];
  for await (const item of items) read.push(item);
  return read;
};
