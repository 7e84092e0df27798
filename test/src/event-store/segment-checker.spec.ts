import { spawnSync } from 'node:child_process';
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

  it('keeps its process alive until the check has ended, and no longer', async () => {
    const { dir } = await closedLog();
    const script = `import('@popsvc/embedded/event-store').then(async ({ SegmentChecker }) => {
      const { events } = await new SegmentChecker().check(process.argv[1], 0);
      process.stdout.write(String(events));
    });`;
    const { status, stdout } = spawnSync(process.execPath, ['-e', script, segmentFile(dir)], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      timeout: 170_000,
    });
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: '100' });
  });
});
