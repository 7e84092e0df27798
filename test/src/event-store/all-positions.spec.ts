import { expect } from 'chai';
import { BACKWARDS, END, START, type AllStreamResolvedEvent, type Position } from '@eventstore/db-client';
import { startTestEventStore } from '../support/engines.ts';
import { connect, connectTo, itsOwnNode, newStream, refusal, someEvents, urlUnderTest } from './store.fixture.ts';

type AllOptions = Parameters<Awaited<ReturnType<typeof connect>>['readAll']>[0];

const readAll = async (url: string, options: AllOptions = {}): Promise<AllStreamResolvedEvent[]> => {
  const events: AllStreamResolvedEvent[] = [];
  for await (const event of connectTo(url).readAll(options)) events.push(event);
  return events;
};
const commits = (events: readonly AllStreamResolvedEvent[]): bigint[] =>
  events.map(({ event }) => event!.position.commit);
const growing = (positions: readonly bigint[]): boolean =>
  positions.every((at, n) => n === 0 || at > positions[n - 1]!);

describe('event store: positions in $all', function () {
  it('20. an append returns the position of its last event in $all; commit and prepare are equal', async () => {
    const client = await connect();
    const stream = newStream();
    const positions: Position[] = [];
    for (let n = 1; n <= 5; n += 1) positions.push((await client.appendToStream(stream, someEvents(n))).position!);
    const events = (await readAll(await urlUnderTest(), { fromPosition: positions[0]! })).filter(
      ({ event }) => event?.streamId === stream,
    );
    expect(events.map(({ event }) => Number(event!.revision))).to.deep.equal(Array.from({ length: 15 }, (_, n) => n));
    const ofLast = events.filter(({ event }) => [0n, 2n, 5n, 9n, 14n].includes(event!.revision));
    expect(ofLast.map(({ event }) => event!.position)).to.deep.equal(positions);
    expect(growing(commits(events))).to.equal(true);
    for (const { event, commitPosition } of events) {
      expect(event!.position.commit).to.equal(event!.position.prepare);
      expect(commitPosition).to.equal(event!.position.commit);
    }
  });

  itsOwnNode('20. positions grow across restarts, and reads span segments of any size in both directions', async () => {
    const node = await startTestEventStore({ EVENT_STORE_SEGMENT_BYTES: '20000' });
    const answered: bigint[] = [];
    for (let round = 0; round < 4; round += 1) {
      const client = connectTo(node.url);
      for (let n = 0; n < 25; n += 1) {
        const { position } = await client.appendToStream(`s-${n % 7}`, someEvents(1 + (n % 5)));
        answered.push(position!.commit);
      }
      await client.dispose();
      await node.restart();
    }
    expect(growing(answered)).to.equal(true);
    const forward = commits(await readAll(node.url));
    expect(forward).to.have.length(300);
    expect(growing(forward)).to.equal(true);
    const backward = commits(await readAll(node.url, { direction: BACKWARDS, fromPosition: END }));
    expect(backward.toReversed()).to.deep.equal(forward);
    for (let n = 0; n < 7; n += 1) {
      const revisions: bigint[] = [];
      for await (const { event } of connectTo(node.url).readStream(`s-${n}`)) revisions.push(event!.revision);
      expect(revisions).to.deep.equal(revisions.map((_, at) => BigInt(at)));
    }
    await node.stop();
  });

  it('21. a forward read includes its start position, a backward read does not', async () => {
    const client = await connect();
    const stream = newStream();
    await client.appendToStream(stream, someEvents(3));
    const { position } = await client.appendToStream(stream, someEvents(1, 'Second'));
    await client.appendToStream(stream, someEvents(1, 'Third'));
    const url = await urlUnderTest();
    const [first] = await readAll(url, { fromPosition: position!, maxCount: 1 });
    expect(first?.event?.position).to.deep.equal(position);
    const before = await readAll(url, { fromPosition: position!, direction: BACKWARDS, maxCount: 2 });
    expect(before.map(({ event }) => [event?.streamId, event?.revision])).to.deep.equal([
      [stream, 2n],
      [stream, 1n],
    ]);
    expect(await readAll(url, { fromPosition: END })).to.deep.equal([]);
    expect(await readAll(url, { fromPosition: START, direction: BACKWARDS })).to.deep.equal([]);
    expect(await readAll(url, { fromPosition: START, maxCount: 3 })).to.have.length(3);
  });

  itsOwnNode('rejects a position between two records, and one whose commit is before its prepare', async () => {
    const client = await connect();
    const { position } = await client.appendToStream(newStream(), someEvents(1));
    const { commit } = position!;
    const url = await urlUnderTest();
    for (const wrong of [
      { commit: commit + 1n, prepare: commit + 1n },
      { commit: commit - 1n, prepare: commit },
      { commit: commit + 2n ** 40n, prepare: commit },
    ]) {
      expect(await refusal(readAll(url, { fromPosition: wrong }))).to.include({ code: 3 });
      expect(await refusal(readAll(url, { fromPosition: wrong, direction: BACKWARDS }))).to.include({ code: 3 });
    }
  });
});
