import { LogDensity } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import fc from 'fast-check';

/** What lies between two positions, told from the batches before. */
describe('the density of the log', () => {
  it('tells how many events are left where they stand evenly, whatever the batches', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (bytes, batches, left) => {
          const density = new LogDensity();
          let at = 0n;
          for (const events of batches) {
            const upTo = at + BigInt(events * bytes);
            density.observe({ after: at, upTo, events });
            at = upTo;
          }
          expect(density.estimateBetween(at, at + BigInt(left * bytes))).to.be.closeTo(left, 1);
        },
      ),
    );
  });

  it('follows when others write more of the log', () => {
    const density = new LogDensity();
    for (let at = 0n; at < 100_000n; at += 1_000n) density.observe({ after: at, upTo: at + 1_000n, events: 10 });
    expect(density.estimateBetween(0n, 1_000_000n)).to.equal(10_000);
    for (let at = 0n; at < 100_000n; at += 1_000n) density.observe({ after: at, upTo: at + 1_000n, events: 1 });
    expect(density.estimateBetween(0n, 1_000_000n)).to.be.within(1_000, 1_200);
  });

  it('tells nothing before it has learnt, and nothing backwards', () => {
    const density = new LogDensity();
    expect(density.estimateBetween(0n, 10n)).to.equal(0);
    density.observe({ after: 0n, upTo: 10n, events: 1 });
    expect([density.estimateBetween(10n, 10n), density.estimateBetween(10n, 0n)]).to.deep.equal([0, 0]);
  });
});
