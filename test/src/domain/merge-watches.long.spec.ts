import { mergeWatches } from '@popsvc/domain/audience';
import { expect } from 'chai';
import fc from 'fast-check';
import { spans } from './audience-arbitraries.ts';
import { runs } from './runs.ts';
import { watchedMillis } from './watched-millis.ts';

const gap = fc.integer({ min: 0, max: 60 });

describe('merging watches', () => {
  it('drops watch intervals without length, which close no gap', () => {
    expect(mergeWatches([{ from: 5, to: 5 }], 10)).to.deep.equal([]);
    const apart = [
      { from: 0, to: 10 },
      { from: 30, to: 40 },
    ];
    expect(mergeWatches([...apart, { from: 20, to: 20 }], 10)).to.deep.equal(apart);
  });

  it('joins watch intervals that overlap, touch, or have an allowed gap', () => {
    const looks = [
      { from: 40, to: 50 },
      { from: 0, to: 20 },
      { from: 5, to: 10 },
      { from: 20, to: 30 },
    ];
    expect(mergeWatches(looks, 9)).to.deep.equal([
      { from: 0, to: 30 },
      { from: 40, to: 50 },
    ]);
    expect(mergeWatches(looks, 10)).to.deep.equal([{ from: 0, to: 50 }]);
  });

  it('is idempotent', () =>
    fc.assert(
      fc.property(spans, gap, (looks, gapMs) => {
        const merged = mergeWatches(looks, gapMs);
        expect(mergeWatches(merged, gapMs)).to.deep.equal(merged);
      }),
      runs(200),
    ));

  it('does not depend on the order, nor on earlier joins', () =>
    fc.assert(
      fc.property(spans, gap, (looks, gapMs) => {
        const merged = mergeWatches(looks, gapMs);
        expect(mergeWatches(looks.toReversed(), gapMs)).to.deep.equal(merged);
        expect(mergeWatches(mergeWatches(looks, 0), gapMs)).to.deep.equal(merged);
      }),
      runs(200),
    ));

  it('covers the milliseconds that are watched one by one', () =>
    fc.assert(
      fc.property(spans, gap, (looks, gapMs) => {
        const merged = mergeWatches(looks, gapMs);
        const millis = merged.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
        expect(millis).to.deep.equal([...watchedMillis(looks, gapMs)]);
      }),
      runs(100),
    ));
});
