import {
  devicePlaces,
  diffSegments,
  emptyRegistry,
  foldRegistry,
  type PlaceSegment,
  planRegistry,
  screenPlaces,
  screenZone,
  segmentAt,
} from '@popsvc/domain/registry';
import { expect } from 'chai';
import fc from 'fast-check';
import { naivePlaces } from './naive-places.ts';
import { applyAll, files, instantMs } from './registry-arbitraries.ts';
import { runs } from './runs.ts';

const placeOf = (segment: PlaceSegment | undefined) => ({ ...segment!, validFromMs: 0 });

/** Before, at and after every instant of a possible change. */
const instants = fc.tuple(instantMs, fc.constantFrom(-1, 0, 1)).map(([ms, offset]) => Math.max(0, ms + offset));

const expectSorted = (segments: readonly PlaceSegment[]) => {
  expect(segments[0]?.validFromMs).to.equal(0);
  segments.slice(1).forEach((segment, index) => {
    expect(segment.validFromMs).to.be.above(segments[index]!.validFromMs);
    expect(placeOf(segment)).to.not.deep.equal(placeOf(segments[index]));
  });
};

describe('random registries', () => {
  it('are not changed by the same file again', () => {
    let [applied, refused] = [0, 0];
    fc.assert(
      fc.property(files, (all) => {
        const outcome = applyAll(all, (registry, file) => {
          const { changes, counts } = planRegistry(registry, file, { nowMs: 0 });
          expect(changes).to.deep.equal([]);
          const total = Object.values(file).reduce((sum, { length }) => sum + length, 0);
          expect(Object.values(counts.unchanged).reduce((sum, count) => sum + count)).to.equal(total);
          applied += 1;
        });
        refused += outcome.refused;
      }),
      runs(100),
    );
    expect(applied, `applied; ${refused} were refused`).to.be.above(refused);
  });

  it('have the screens and devices of the log at any instant', () =>
    fc.assert(
      fc.property(files, fc.array(instants, { minLength: 5, maxLength: 12 }), (all, moments) => {
        const { registry, log } = applyAll(all);
        for (const networkId of [1, 2]) {
          const naive = naivePlaces(log, networkId);
          const screens = screenPlaces(registry, networkId);
          const devices = devicePlaces(registry, networkId);
          expect([...devices.keys()]).to.have.members(naive.mine);
          for (const atMs of moments) {
            for (const screen of ['', 'a', 'b', 'c', 'd'])
              expect(placeOf(segmentAt(screens.get(screen) ?? screens.get('')!, atMs))).to.deep.equal(
                naive.screen(screen, atMs),
              );
            for (const [id, segments] of devices)
              expect(placeOf(segmentAt(segments, atMs))).to.deep.equal(naive.device(id, atMs));
          }
        }
      }),
      runs(100),
    ));

  it('have the zone of a screen as of any position of the log', () =>
    fc.assert(
      fc.property(files, fc.array(instants, { minLength: 3, maxLength: 6 }), fc.nat(), (all, moments, cut) => {
        const { registry, log } = applyAll(all);
        const last = cut % (log.length + 1);
        const before = emptyRegistry();
        for (const change of log.slice(0, last)) foldRegistry(before, change);
        for (const networkId of [1, 2])
          for (const [until, asOf] of [
            [before, last],
            [registry, undefined],
          ] as const) {
            const places = screenPlaces(until, networkId);
            for (const screen of ['a', 'b', 'c', 'd', 'e'])
              for (const atMs of moments) {
                const placed = segmentAt(places.get(screen) ?? [], atMs)?.deviceTz;
                expect(screenZone(registry, networkId, screen, atMs, asOf) ?? '').to.equal(placed ?? '');
              }
          }
      }),
      runs(100),
    ));

  it('have sorted segments that are joined if nothing changes', () =>
    fc.assert(
      fc.property(files, (all) => {
        const { registry } = applyAll(all);
        for (const networkId of [1, 2]) {
          screenPlaces(registry, networkId).forEach(expectSorted);
          devicePlaces(registry, networkId).forEach(expectSorted);
        }
      }),
      runs(100),
    ));

  it('return exactly the affected places after each change', () =>
    fc.assert(
      fc.property(files, fc.array(instants, { minLength: 5, maxLength: 12 }), (all, moments) => {
        let before = new Map<string, PlaceSegment[]>();
        const rows = new Map<string, PlaceSegment>();
        applyAll(all, (registry) => {
          const after = screenPlaces(registry, 1);
          const { changed, write, remove } = diffSegments(before, after);
          for (const { key, validFromMs } of remove) expect(rows.delete(`${key} ${validFromMs}`)).to.equal(true);
          for (const { key, segment } of write) rows.set(`${key} ${segment.validFromMs}`, segment);
          const expected = [...after].flatMap(([key, segments]) =>
            segments.map((segment): [string, PlaceSegment] => [`${key} ${segment.validFromMs}`, segment]),
          );
          expect(rows).to.deep.equal(new Map(expected));
          for (const atMs of moments)
            for (const key of after.keys()) {
              const was = segmentAt(before.get(key) ?? before.get('') ?? [], atMs);
              const touched = changed.some((range) => range.key === key && range.fromMs <= atMs && atMs < range.toMs);
              const same =
                was && fc.stringify(placeOf(was)) === fc.stringify(placeOf(segmentAt(after.get(key)!, atMs)));
              expect(touched, `${key} at ${atMs}`).to.equal(!same);
            }
          before = after;
        });
      }),
      runs(100),
    ));
});
