import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSampler } from '@popsvc/platform/runtime';
import { expect } from 'chai';

describe('a sampler', () => {
  it('reads the value once for concurrent callers, and again after its maximum age', async () => {
    let [reads, nowMs] = [0, 0];
    const sample = createSampler(() => Promise.resolve((reads += 1)), { maxAgeMs: 30, now: () => nowMs });
    expect(await Promise.all([sample(), sample(), sample()])).to.deep.equal([1, 1, 1]);
    nowMs = 29;
    expect(await sample()).to.equal(1);
    nowMs = 30;
    expect(await sample()).to.equal(2);
  });

  it('returns undefined, not an old value, while reads fail', async () => {
    let [fails, nowMs] = [false, 0];
    const sample = createSampler(() => (fails ? Promise.reject(new Error('unavailable')) : Promise.resolve(7)), {
      maxAgeMs: 10,
      now: () => nowMs,
    });
    expect(await sample()).to.equal(7);
    fails = true;
    nowMs = 10;
    expect(await sample()).to.equal(undefined);
    fails = false;
    expect(await sample()).to.equal(7);
  });

  it('returns undefined after the timeout of a read, and later its value', async () => {
    let finishRead: (value: number) => void = () => undefined;
    let reads = 0;
    const read = () => {
      reads += 1;
      return new Promise<number>((resolve) => (finishRead = resolve));
    };
    const sample = createSampler(read, { maxAgeMs: 1_000, timeoutMs: 20, now: () => 0 });
    expect(await sample()).to.equal(undefined);
    expect(await sample()).to.equal(undefined);
    finishRead(3);
    await nextTurn();
    expect([await sample(), reads]).to.deep.equal([3, 1]);
  });
});
