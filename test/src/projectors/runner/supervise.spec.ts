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
    const run = (): Promise<void> => {
      const error = outcomes.shift();
      if (error) return Promise.reject(error);
      stop.abort();
      return Promise.resolve();
    };
    const pausesMs: number[] = [];
    await superviseRuns(
      {
        name: 'coffee',
        log: createLog('test', 'silent'),
        setRunState: () => undefined,
        pause: (ms) => Promise.resolve(pausesMs.push(ms)),
      },
      run,
      stop.signal,
    );
    expect(pausesMs.slice(0, 4)).to.deep.equal([1_000, 1_000, 1_000, 1_000]);
    // After five failures, the pause would be at least 4 s.
    expect(pausesMs.slice(4)).to.have.length(1);
    expect(pausesMs[4]).to.be.within(125, 250);
  });
});
