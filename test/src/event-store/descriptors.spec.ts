import { readdirSync, readlinkSync } from 'node:fs';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';
import { appendTo, numbersUpTo, openLog, revisionsIn } from './log.fixture.ts';

const openSegments = (dir: string): number => {
  let count = 0;
  for (const fd of readdirSync('/proc/self/fd'))
    try {
      if (readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${dir}/0`)) count += 1;
    } catch {
      // The descriptor of the directory listing itself is closed by now.
    }
  return count;
};

describe('event store: many segments', function () {
  it('have at most 64 files open at the same time, however many readers there are', async () => {
    const log = await openLog(await temporaryFolder('descriptors'), { segmentBytes: 4096 });
    for (let n = 0; n < 150; n += 1) await appendTo(log, `s-${n}`, 1, 4200);
    expect(log.store.log.segments.length).to.be.above(140);
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, openSegments(log.dir))), 1);
    const streams = numbersUpTo(150).map((n) => `s-${n}`);
    for (let round = 0; round < 3; round += 1) {
      const reads = await Promise.all(streams.map((stream) => revisionsIn(log, stream)));
      most = Math.max(most, openSegments(log.dir));
      expect(reads.every((revisions) => revisions.length === 1)).to.equal(true);
    }
    clearInterval(watch);
    expect(most).to.be.within(30, 64);
    await log.store.close();
    expect(openSegments(log.dir)).to.equal(0);
  });
});
