import { retryUntilAborted } from '@popsvc/platform/message-bus';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import sinon from 'sinon';

describe('a message bus task that fails', () => {
  afterEach(() => sinon.restore());

  it('is retried after growing pauses, which are short again after a run of more than ten seconds', async () => {
    const clock = sinon.useFakeTimers({ toFake: ['performance'] });
    const stop = new AbortController();
    const startedAt: number[] = [];
    const log = createLog('test', 'silent');
    await retryUntilAborted({ task: 'test', log, signal: stop.signal }, () => {
      startedAt.push(Date.now());
      if (startedAt.length === 6) clock.tick(10_001);
      if (startedAt.length === 7) stop.abort();
      throw new Error('the server does not answer');
    });
    const pausesMs = startedAt.slice(1).map((at, index) => at - startedAt[index]!);
    // The pause after failure n is at least half of 100 ms × 2ⁿ.
    for (const [index, leastMs] of [50, 100, 200, 400, 800].entries())
      expect(pausesMs[index], `pause ${index + 1}`).to.be.at.least(leastMs - 5);
    // Without a reset, it would be at least 1.6 s.
    expect(pausesMs[5]).to.be.lessThan(1_500);
  });
});
