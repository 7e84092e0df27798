import { firstReceipts, currentDetections, newerDetection } from '../oracle/audience.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const version = (detectionId: string, revision: number, position: number, vendor = 'acme', network = 1) => ({
  network,
  vendor,
  detectionId,
  revision,
  position,
});
const receipt = (eventId: string, position: number, vendor = 'acme', network = 1) => ({
  network,
  vendor,
  eventId,
  position,
});

describe('several versions of a detection', () => {
  it('the higher revision is current, even if it came earlier', () =>
    expect(newerDetection(version('d', 2, 10), version('d', 1, 20))).to.include({ position: 10 }));
  it('of one revision the later in the log is current', () =>
    expect(newerDetection(version('d', 1, 10), version('d', 1, 20))).to.include({ position: 20 }));
  it('each vendor and each network has its own current version', () =>
    expect(
      currentDetections([
        version('d', 0, 1),
        version('d', 0, 2, 'other'),
        version('d', 0, 3, 'acme', 2),
        version('e', 0, 4),
      ]),
    ).to.have.length(4));
  it('positions can be bigints', () => {
    const versions = [
      { ...version('d', 0, 0), position: 9_007_199_254_740_993n },
      { ...version('d', 0, 0), position: 9_007_199_254_740_992n },
    ];
    expect(currentDetections(versions)).to.deep.equal([versions[0]]);
  });

  it('the same version is current for any order of arrival', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.nat(2), fc.nat(2), fc.nat(50)), { selector: ([, , at]) => at }), (all) => {
        const versions = all.map(([id, revision, position]) => version(`d${id}`, revision, position));
        expect(currentDetections(versions.toReversed())).to.have.deep.members(currentDetections(versions));
      }),
      runs(200),
    ));
});

describe('several receipts of a play', () => {
  it('the first in the log counts, for any order of arrival', () => {
    const receipts = [receipt('p', 7), receipt('p', 3), receipt('p', 5)];
    expect(firstReceipts(receipts)).to.deep.equal([receipt('p', 3)]);
    expect(firstReceipts(receipts.toReversed())).to.deep.equal([receipt('p', 3)]);
  });
  it('each vendor and each network has its own current version', () =>
    expect(firstReceipts([receipt('p', 1), receipt('p', 2, 'other'), receipt('p', 3, 'acme', 2)])).to.have.length(3));
});
