import { firstReceipts, currentDetections, newerDetection } from '../oracle/audience.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const told = (detectionId: string, revision: number, position: number, vendor = 'acme', network = 1) => ({
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

describe('of several tellings of a detection', () => {
  it('the higher revision stands, though told earlier', () =>
    expect(newerDetection(told('d', 2, 10), told('d', 1, 20))).to.include({ position: 10 }));
  it('of one revision the later in the log stands', () =>
    expect(newerDetection(told('d', 1, 10), told('d', 1, 20))).to.include({ position: 20 }));
  it('each vendor and each network has its own', () =>
    expect(
      currentDetections([told('d', 0, 1), told('d', 0, 2, 'other'), told('d', 0, 3, 'acme', 2), told('e', 0, 4)]),
    ).to.have.length(4));
  it('positions may be bigints', () => {
    const versions = [
      { ...told('d', 0, 0), position: 9_007_199_254_740_993n },
      { ...told('d', 0, 0), position: 9_007_199_254_740_992n },
    ];
    expect(currentDetections(versions)).to.deep.equal([versions[0]]);
  });

  it('the same stands in whatever order they come', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.nat(2), fc.nat(2), fc.nat(50)), { selector: ([, , at]) => at }), (all) => {
        const versions = all.map(([id, revision, position]) => told(`d${id}`, revision, position));
        expect(currentDetections(versions.toReversed())).to.have.deep.members(currentDetections(versions));
      }),
      runs(200),
    ));
});

describe('of several receipts of a play', () => {
  it('the first in the log stands, in whatever order they come', () => {
    const receipts = [receipt('p', 7), receipt('p', 3), receipt('p', 5)];
    expect(firstReceipts(receipts)).to.deep.equal([receipt('p', 3)]);
    expect(firstReceipts(receipts.toReversed())).to.deep.equal([receipt('p', 3)]);
  });
  it('each vendor and each network has its own', () =>
    expect(firstReceipts([receipt('p', 1), receipt('p', 2, 'other'), receipt('p', 3, 'acme', 2)])).to.have.length(3));
});
