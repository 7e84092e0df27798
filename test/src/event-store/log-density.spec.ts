import { LogDensity } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import fc from 'fast-check';

/** Estimates the number of events between two positions from earlier batches. */
describe('the density of the log', () => {
  it('estimates the remaining events of an even log for any batches', () => {
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

  it('adapts when other streams grow faster', () => {
    const density = new LogDensity();
    for (let at = 0n; at < 100_000n; at += 1_000n) density.observe({ after: at, upTo: at + 1_000n, events: 10 });
    expect(density.estimateBetween(0n, 1_000_000n)).to.equal(10_000);
    for (let at = 0n; at < 100_000n; at += 1_000n) density.observe({ after: at, upTo: at + 1_000n, events: 1 });
    expect(density.estimateBetween(0n, 1_000_000n)).to.be.within(1_000, 1_200);
  });

  it('returns 0 without observations and for reversed positions', () => {
    const density = new LogDensity();
    expect(density.estimateBetween(0n, 10n)).to.equal(0);
    density.observe({ after: 0n, upTo: 10n, events: 1 });
    expect([density.estimateBetween(10n, 10n), density.estimateBetween(10n, 0n)]).to.deep.equal([0, 0]);
  });
});
