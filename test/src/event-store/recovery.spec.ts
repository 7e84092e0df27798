import { appendFileSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { type TestEventStore } from '../support/engines.ts';
import { filledNode, segments } from './filled-node.fixture.ts';
import { connectTo, itsOwnNode, readAllOf, someEvents } from './store.fixture.ts';

const positionsOf = async (node: TestEventStore): Promise<bigint[]> => {
  const positions: bigint[] = [];
  for await (const { event } of connectTo(node.url).readAll()) positions.push(event!.position.commit);
  return positions;
};

describe('event store: damage and recovery', function () {
  this.timeout(60_000);

  const damages: [string, (last: string) => void][] = [
    ['a few bytes of the next record', (last) => appendFileSync(last, Buffer.from([200, 1, 0, 0, 9, 9, 9]))],
    ['a tail of zeros', (last) => appendFileSync(last, Buffer.alloc(5000))],
    ['a whole record that ends no append', (last) => appendFileSync(last, recordWithoutEnd(readFileSync(last)))],
  ];
  for (const [what, damage] of damages) {
    itsOwnNode(`13. truncates ${what} at the end, and nothing else`, async () => {
      const node = await filledNode();
      damage(segments(node).at(-1)!);
      await node.restart();
      const client = connectTo(node.url);
      expect(await readAllOf(client, 's')).to.have.length(100);
      const { nextExpectedRevision } = await client.appendToStream('s', someEvents(1), { expectedRevision: 99n });
      expect(nextExpectedRevision).to.equal(100n);
      await node.restart();
      expect(await readAllOf(connectTo(node.url), 's')).to.have.length(101);
      expect(
        readdirSync(node.dir).some((name) => name.includes('.cut-')),
        'what was cut is kept',
      ).to.equal(true);
      await node.stop();
    });
  }

  itsOwnNode('13. a torn append is removed completely, and its positions are not assigned again', async () => {
    for (const lost of [1, 100, 400, 700]) {
      const node = await filledNode();
      await node.restart();
      const before = await positionsOf(node);
      await node.stop();
      const [last] = segments(node).slice(-1);
      truncateSync(last!, readFileSync(last!).length - lost);
      await node.restart();
      const client = connectTo(node.url);
      expect(await readAllOf(client, 's')).to.have.length(95);
      const { position } = await client.appendToStream('s', someEvents(1), { expectedRevision: 94n });
      expect(before.includes(position!.commit)).to.equal(false);
      expect((await positionsOf(node)).slice(0, 95)).to.deep.equal(before.slice(0, 95));
      await node.stop();
    }
  });

  itsOwnNode('13. assigns no position twice after a kill between truncation and the next file', async () => {
    const node = await filledNode();
    await node.restart();
    const before = await positionsOf(node);
    await node.stop();
    const [torn] = segments(node);
    truncateSync(torn!, readFileSync(torn!).length - 10);
    await node.restart();
    await node.stop();
    const [, next] = segments(node);
    rmSync(next!);
    await node.restart();
    const { position } = await connectTo(node.url).appendToStream('s', someEvents(1), { expectedRevision: 94n });
    expect(position!.commit > before.at(-1)!).to.equal(true);
    await node.stop();
  });

  itsOwnNode('13. truncates a last append with a flipped bit', async () => {
    const node = await filledNode();
    const [last] = segments(node).slice(-1);
    const bytes = readFileSync(last!);
    bytes[bytes.length - 300]! ^= 4;
    writeFileSync(last!, bytes);
    await node.restart();
    expect(await readAllOf(connectTo(node.url), 's')).to.have.length(95);
    await node.stop();
  });
});

/** The first record of a segment without its end-of-append mark, with a valid checksum. */
const recordWithoutEnd = (segment: Buffer): Buffer => {
  const length = segment.readUInt32LE(64) + 12;
  const record = Buffer.from(segment.subarray(64, 64 + length));
  record[12] = record[12]! & ~1;
  record.writeUInt32LE(crc32(record.subarray(8, length - 4)), 4);
  return record;
};
