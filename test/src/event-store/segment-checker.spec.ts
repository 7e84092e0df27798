import { SegmentChecker } from '@popsvc/embedded/event-store';
import { expect } from 'chai';
import sinon from 'sinon';
import { closedLog, segmentFile } from './log.fixture.ts';

describe('event store: the thread that checks segments', () => {
  afterEach(() => sinon.restore());

  it('checks a segment also while the idle thread ends', async () => {
    const { dir } = await closedLog();
    const clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const checker = new SegmentChecker();
    for (let round = 0; round < 3; round += 1) {
      expect((await checker.check(segmentFile(dir), 0)).events).to.equal(100);
      clock.tick(2_000);
    }
    await checker.close();
  });
});
