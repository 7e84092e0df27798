import { mergeWatches } from '@popsvc/domain/audience';
import { expect } from 'chai';
import fc from 'fast-check';
import { spans } from './audience-arbitraries.ts';
import { runs } from './runs.ts';
import { watchedMillis } from './watched-millis.ts';

const gap = fc.integer({ min: 0, max: 60 });

describe('merging watches', () => {
  it('is idempotent', () =>
    fc.assert(
      fc.property(spans, gap, (looks, gapMs) => {
        const merged = mergeWatches(looks, gapMs);
        expect(mergeWatches(merged, gapMs)).to.deep.equal(merged);
      }),
      runs(200),
    ));

  it('does not care for order, nor whether overlaps were joined before', () =>
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
