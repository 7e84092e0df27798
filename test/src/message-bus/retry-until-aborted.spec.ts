import { retryUntilAborted } from '@popsvc/platform/message-bus';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import sinon from 'sinon';

describe('a background task that fails', () => {
  afterEach(() => sinon.restore());

  it('is retried after growing pauses, which are short again after a run of more than ten seconds', async () => {
    const clock = sinon.useFakeTimers({ toFake: ['performance'] });
    const stop = new AbortController();
    const pausesMs: number[] = [];
    let runs = 0;
    const log = createLog('test', 'silent');
    const pause = (ms: number) => Promise.resolve(pausesMs.push(ms));
    await retryUntilAborted({ task: 'test', log, signal: stop.signal, pause }, () => {
      runs += 1;
      if (runs === 6) clock.tick(10_001);
      if (runs === 7) stop.abort();
      throw new Error('the server does not answer');
    });
    // The pause after failure n is 100 ms × 2ⁿ, or less by at most half.
    expect(pausesMs).to.have.length(6);
    for (const [index, mostMs] of [100, 200, 400, 800, 1_600, 100].entries())
      expect(pausesMs[index], `pause ${index + 1}`).to.be.within(mostMs / 2, mostMs);
  });

  it('is logged as information twice, then as a warning, if it never ran', async () => {
    const levelsOf = async (hasRun: boolean): Promise<readonly string[]> => {
      const stop = new AbortController();
      const log = createLog('test', 'silent');
      const levels: string[] = [];
      sinon.stub(log, 'info').callsFake(() => void levels.push('info'));
      sinon.stub(log, 'warn').callsFake(() => void levels.push('warn'));
      let runs = hasRun ? 0 : 1;
      await retryUntilAborted({ task: 'test', log, signal: stop.signal, pause: () => Promise.resolve() }, () => {
        runs += 1;
        if (runs === 1) return Promise.resolve();
        if (runs === 5) stop.abort();
        throw new Error('the server does not answer');
      });
      return levels;
    };
    expect(await levelsOf(false)).to.deep.equal(['info', 'info', 'warn']);
    expect(await levelsOf(true)).to.deep.equal(['warn', 'warn', 'warn']);
  });

  it('is retried after a pause, until the signal aborts', async () => {
    const stop = new AbortController();
    const startedAt: number[] = [];
    await retryUntilAborted({ task: 'test', log: createLog('test', 'silent'), signal: stop.signal }, () => {
      startedAt.push(performance.now());
      // During the second pause, which is of 100 ms at least.
      if (startedAt.length === 2) setTimeout(() => stop.abort());
      throw new Error('the server does not answer');
    });
    expect(startedAt[1]! - startedAt[0]!).to.be.at.least(45);
    expect(startedAt).to.have.length(2);
  });
});
