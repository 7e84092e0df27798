import fs, { appendFileSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import sinon from 'sinon';
import { filledNode, segments } from './filled-node.fixture.ts';
import { appendTo, closedLog, numbersUpTo, openLog, revisionsIn, segmentFile } from './log.fixture.ts';
import { connectTo, itsOwnNode, readAllOf, refusal, someEvents } from './store.fixture.ts';

describe('event store: recovery', function () {
  afterEach(() => sinon.restore());

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

  it('13. removes a torn append completely, reports it, and does not assign its positions again', async () => {
    for (const lost of [1, 100, 400, 700, 1600]) {
      const { dir, end } = await tornLog(lost);
      const log = await openLog(dir);
      expect(log.notes).to.deep.equal(['torn tail cut']);
      expect(await revisionsIn(log, 's')).to.deep.equal(numbersUpTo(100));
      const outcome = await appendTo(log, 's', 1);
      expect(outcome).to.include({ is: 'appended', revision: 100 });
      expect(outcome.is === 'appended' && outcome.position! > end).to.equal(true);
      await log.store.close();
      const again = await openLog(dir);
      expect(again.notes).to.deep.equal([]);
      expect(await revisionsIn(again, 's')).to.deep.equal(numbersUpTo(101));
      await again.store.close();
    }
  });

  it('13. assigns no position twice after a kill between the new segment and the truncation', async () => {
    const { dir, end } = await tornLog(10);
    const torn = readFileSync(segmentFile(dir));
    await (await openLog(dir)).store.close();
    writeFileSync(segmentFile(dir), torn);
    rmSync(join(dir, 'sealed-segments.ndjson'), { force: true });
    const log = await openLog(dir);
    const outcome = await appendTo(log, 's', 1);
    expect(outcome.is === 'appended' && outcome.revision === 100 && outcome.position! > end).to.equal(true);
    await log.store.close();
  });

  it('keeps a whole append that was not acknowledged, and syncs it before it is served', async () => {
    const { dir } = await tornLog(0);
    const broken = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    sinon.stub(fs, 'fdatasync').callsFake((_fd, callback) => callback(broken));
    expect(await refusal(openLog(dir))).to.include({ code: 'EIO' });
    sinon.restore();
    const written: Buffer[] = [];
    const write = fs.write.bind(fs) as (...args: unknown[]) => void;
    sinon.stub(fs, 'write').callsFake(((fd: number, bytes: Buffer, ...rest: unknown[]) => {
      written.push(Buffer.from(bytes));
      write(fd, bytes, ...rest);
    }) as typeof fs.write);
    const log = await openLog(dir);
    sinon.restore();
    const tail = readFileSync(segmentFile(dir)).subarray(-written[0]!.length);
    expect(written[0]!.equals(tail), 'after a failed sync only a new write reaches the disk').to.equal(true);
    expect(await revisionsIn(log, 's')).to.deep.equal(numbersUpTo(105));
    await log.store.close();
  });
});

/** The first event of a segment without its end-of-append mark, valid at the end of the segment. */
const recordWithoutEnd = (segment: Buffer): Buffer => {
  const at = 64 + segment.readUInt32LE(64 + 4);
  const length = segment.readUInt32LE(at + 4);
  const record = Buffer.from(segment.subarray(at, at + length));
  record[12] = record[12]! & ~1;
  record.writeUInt32LE(crc32(record.subarray(4), segment.length), 0);
  return record;
};

/**
 * A log of 100 events as a kill during the write of 5 more leaves it: the last `lost` bytes are not written, and the durable end is the
 * older one. `end`: the position after the last written byte.
 */
const tornLog = async (lost: number): Promise<{ dir: string; end: number }> => {
  const { dir } = await closedLog();
  const durableEnd = readFileSync(join(dir, 'durable-end'));
  const log = await openLog(dir);
  await appendTo(log, 's', 5);
  await log.store.close();
  writeFileSync(join(dir, 'durable-end'), durableEnd);
  const end = readFileSync(segmentFile(dir)).length - lost;
  truncateSync(segmentFile(dir), end);
  return { dir, end };
};
