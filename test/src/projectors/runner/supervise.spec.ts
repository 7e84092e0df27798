import { createLog } from '@popsvc/platform/telemetry';
import { LeaseLost, superviseRuns } from '@popsvc/projectors/engine';
import { expect } from 'chai';

describe('the supervision of runs', () => {
  it('starts a run soon after an error, even after many waits for the lease', async () => {
    const outcomes = [
      ...Array.from({ length: 4 }, () => new LeaseLost('another process holds it')),
      new Error('a hiccup'),
    ];
    const stop = new AbortController();
    let failedAt = 0;
    const run = (): Promise<void> => {
      const error = outcomes.shift();
      if (error) {
        failedAt = performance.now();
        return Promise.reject(error);
      }
      stop.abort();
      return Promise.resolve();
    };
    await superviseRuns(
      { name: 'coffee', log: createLog('test', 'silent'), setRunState: () => undefined },
      run,
      stop.signal,
    );
    // After five failures, the pause would be at least 4 s.
    expect(performance.now() - failedAt).to.be.lessThan(3_500);
  });
});
