import { setTimeout as sleep } from 'node:timers/promises';
import { createSampler } from '@popsvc/platform/runtime';
import { expect } from 'chai';

describe('a figure that is sampled', () => {
  it('is read once for all who ask, and again when it is old', async () => {
    let reads = 0;
    const figure = createSampler(() => Promise.resolve((reads += 1)), { maxAgeMs: 30 });
    expect(await Promise.all([figure(), figure(), figure()])).to.deep.equal([1, 1, 1]);
    expect(await figure()).to.equal(1);
    await sleep(40);
    expect(await figure()).to.equal(2);
  });

  it('is none while it cannot be read, rather than an old one', async () => {
    let fails = false;
    const figure = createSampler(() => (fails ? Promise.reject(new Error('away')) : Promise.resolve(7)), {
      maxAgeMs: 10,
    });
    expect(await figure()).to.equal(7);
    fails = true;
    await sleep(20);
    expect(await figure()).to.equal(undefined);
    fails = false;
    expect(await figure()).to.equal(7);
  });

  it('keeps nobody waiting for one that hangs, and takes what it says in the end', async () => {
    let tell: (value: number) => void = () => undefined;
    let reads = 0;
    const read = () => {
      reads += 1;
      return new Promise<number>((resolve) => (tell = resolve));
    };
    const figure = createSampler(read, { maxAgeMs: 1_000, timeoutMs: 20 });
    expect(await figure()).to.equal(undefined);
    expect(await figure()).to.equal(undefined);
    tell(3);
    await sleep(0);
    expect([await figure(), reads]).to.deep.equal([3, 1]);
  });
});
