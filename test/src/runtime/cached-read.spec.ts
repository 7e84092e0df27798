import { type CachedRead, cacheRead } from '@popsvc/platform/runtime';
import { expect } from 'chai';
import sinon from 'sinon';

describe('a cached read', () => {
  let clock: sinon.SinonFakeTimers;
  const reads: { answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const read = () => new Promise<string>((answer, fail) => reads.push({ answer, fail }));
  /** Gets a result that is at most `ms` old. */
  const getAtMost = (ms: number, cached: CachedRead<string>) => cached.get(performance.now() - ms);
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    reads.length = 0;
  });
  afterEach(() => clock.restore());

  it('is shared by callers until it is too old for one', async () => {
    const cached = cacheRead(read);
    const both = [getAtMost(100, cached), getAtMost(0, cached)];
    reads[0]!.answer('a');
    expect(await Promise.all(both)).to.deep.equal(['a', 'a']);
    await clock.tickAsync(101);
    expect(await getAtMost(101, cached)).to.equal('a');
    const next = getAtMost(100, cached);
    reads[1]!.answer('b');
    expect(await next).to.equal('b');
    await clock.tickAsync(120_000);
    expect(reads).to.have.length(2);
  });

  it('is read again after a failure', async () => {
    const cached = cacheRead(read);
    const failed = getAtMost(100, cached);
    reads[0]!.fail(new Error('away'));
    expect(await failed.catch(String)).to.equal('Error: away');
    const next = getAtMost(100, cached);
    reads[1]!.answer('a');
    expect(await next).to.equal('a');
  });

  it('is refreshed for ten seconds after the last call, and callers do not wait', async () => {
    const cached = cacheRead(read, { refreshMs: 100 });
    const first = getAtMost(150, cached);
    reads[0]!.answer('0');
    await first;
    await clock.tickAsync(100);
    expect(reads).to.have.length(2);
    expect(await getAtMost(150, cached)).to.equal('0');
    // The last call was at 100 ms, and the read at 10,000 ms is the last one within ten seconds.
    for (let at = 1; at < reads.length; at += 1) {
      reads[at]!.answer(`${at}`);
      await clock.tickAsync(100);
    }
    expect(reads).to.have.length(101);
    await clock.tickAsync(120_000);
    expect(reads).to.have.length(101);
    void getAtMost(150, cached);
    expect(reads).to.have.length(102);
  });

  it('is not refreshed after a failure until the next call', async () => {
    const cached = cacheRead(read, { refreshMs: 100 });
    const first = getAtMost(150, cached);
    reads[0]!.answer('a');
    await first;
    await clock.tickAsync(100);
    reads[1]!.fail(new Error('away'));
    await clock.tickAsync(10_000);
    expect(reads).to.have.length(2);
    const next = getAtMost(150, cached);
    reads[2]!.answer('b');
    expect(await next).to.equal('b');
  });
});
