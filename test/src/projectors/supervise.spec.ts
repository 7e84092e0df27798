import { createLog } from '@popsvc/platform/telemetry';
import { LeaseLost, superviseRuns } from '@popsvc/projectors/engine';
import { expect } from 'chai';

describe('who supervises a projection', () => {
  it('is there at once after an error, however often it had to wait before', async () => {
    const outcomes = [...Array.from({ length: 4 }, () => new LeaseLost('somebody else has it')), new Error('a hiccup')];
    const stop = new AbortController();
    let failedAt = 0;
    const incarnation = (): Promise<void> => {
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
      incarnation,
      stop.signal,
    );
    expect(performance.now() - failedAt).to.be.lessThan(1_000);
  });
});
