import { attributeAudience } from '../oracle/audience.ts';
import { mergeWatches } from '@popsvc/domain/audience';
import { cutSpans, lengthOf } from '@popsvc/domain/spans';
import { expect } from 'chai';
import fc from 'fast-check';
import { detections, play, thresholds } from './audience-arbitraries.ts';
import { runs } from './runs.ts';
import { watchedMillis } from './watched-millis.ts';

describe('the audience of random plays', () => {
  it('has the milliseconds of presence and watching', () =>
    fc.assert(
      fc.property(play, detections, thresholds, (played, seen, limits) => {
        const { startMs, durationMs } = played;
        const inPlay = (ms: number) => startMs <= ms && ms < startMs + durationMs;
        for (const { detection, presenceMs, watchMs } of attributeAudience(played, seen, limits)) {
          if (!detection) continue;
          const present = Array.from({ length: detection.to - detection.from }, (_, ms) => detection.from + ms);
          expect(presenceMs).to.equal(present.filter(inPlay).length);
          const watched = [...watchedMillis(detection.watches, limits.merge_gap_ms)];
          expect(watchMs).to.equal(watched.filter(inPlay).length);
        }
      }),
      runs(100),
    ));

  it('has nested flags for any thresholds', () =>
    fc.assert(
      fc.property(play, detections, thresholds, (played, seen, limits) => {
        for (const row of attributeAudience(played, seen, limits)) {
          if (row.isViewThrough) expect(row.isView).to.equal(true);
          if (row.isView) expect(row.isGlance).to.equal(true);
          if (row.isGlance) expect(row).to.include({ isWatched: true, isImpression: true });
          expect(row.isWatched).to.equal(row.watchMs > 0);
          expect(row.watchMs).to.be.at.most(row.presenceMs);
          expect(row.attention).to.be.within(0, 100);
        }
      }),
      runs(300),
    ));

  it('has one row per detection that was present, else one row without a detection', () =>
    fc.assert(
      fc.property(play, detections, thresholds, (played, seen, limits) => {
        const frame = { from: played.startMs, to: played.startMs + played.durationMs };
        const present = seen.filter((one) => lengthOf(cutSpans([one], frame)) >= limits.min_presence_ms);
        const rows = attributeAudience(played, seen, limits);
        const expected = present.length > 0 ? present.map(({ id }) => id) : [undefined];
        expect(rows.map(({ detection }) => detection?.id))
          .to.have.members(expected)
          .and.have.length(expected.length);
      }),
      runs(200),
    ));

  it('does not depend on the order of detections', () =>
    fc.assert(
      fc.property(play, detections, thresholds, (played, seen, limits) => {
        const rows = attributeAudience(played, seen, limits);
        expect(attributeAudience(played, seen.toReversed(), limits)).to.have.deep.members(rows);
      }),
      runs(200),
    ));

  it('has at most the watch time of the detections, over plays that do not overlap', () =>
    fc.assert(
      fc.property(
        detections,
        thresholds,
        fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 200 })), { maxLength: 20 }),
        (seen, limits, schedule) => {
          let clock = 0;
          const found = new Map<number, number>();
          for (const [pause, durationMs] of schedule) {
            const startMs = clock + pause;
            clock = startMs + durationMs;
            for (const { detection, watchMs } of attributeAudience({ startMs, durationMs }, seen, limits))
              if (detection) found.set(detection.id, (found.get(detection.id) ?? 0) + watchMs);
          }
          for (const { id, watches } of seen)
            expect(found.get(id) ?? 0).to.be.at.most(lengthOf(mergeWatches(watches, limits.merge_gap_ms)));
        },
      ),
      runs(200),
    ));
});
