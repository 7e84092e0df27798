import { defaultThresholds, type Thresholds } from '@popsvc/contracts/metrics';
import { attributeAudience, type Detection } from '../oracle/audience.ts';
import { type Span } from '@popsvc/domain/spans';
import { expect } from 'chai';

const play = { startMs: 10_000, durationMs: 10_000 };
const person = (from: number, to: number, ...watches: [number, number][]): Detection => ({
  from,
  to,
  watches: watches.map(([start, end]): Span => ({ from: start, to: end })),
  population: 'VIEWER',
});

const rows = (detections: Detection[], thresholds: Partial<Thresholds> = {}) =>
  attributeAudience(play, detections, { ...defaultThresholds, ...thresholds });

const row = (detection: Detection, thresholds: Partial<Thresholds> = {}) => rows([detection], thresholds)[0]!;

describe('attribution', () => {
  it('makes one unmeasured row of a play nobody was seen at', () =>
    expect(rows([])).to.deep.equal([
      {
        popType: 'UNMEASURED',
        detection: undefined,
        presenceMs: 0,
        watchMs: 0,
        watches: [],
        attention: 0,
        isImpression: false,
        isWatched: false,
        isGlance: false,
        isView: false,
        isViewThrough: false,
      },
    ]));

  it('says NONE when a feeder was online, and nobody there', () =>
    expect(attributeAudience({ ...play, feederOnline: true }, [], defaultThresholds)[0]?.popType).to.equal('NONE'));

  it('says who was there, whether or not a feeder was online', () =>
    expect(
      attributeAudience({ ...play, feederOnline: true }, [person(0, 12_000)], defaultThresholds)[0]?.popType,
    ).to.equal('VIEWER'));

  it('carries the population of the detection', () =>
    expect(row({ ...person(0, 30_000), population: 'VEHICLE' }).popType).to.equal('VEHICLE'));

  it('makes a row of 0.1 s of presence', () => expect(row(person(0, 10_100)).presenceMs).to.equal(100));
  it('makes none of less', () => expect(row(person(0, 10_099)).popType).to.equal('UNMEASURED'));
  it('makes none of a detection that ends as the play begins', () =>
    expect(row(person(0, 10_000)).popType).to.equal('UNMEASURED'));
  it('makes none of a detection that begins as the play ends', () =>
    expect(row(person(20_000, 30_000)).popType).to.equal('UNMEASURED'));

  it('makes a row of each detection, also of one person detected twice', () =>
    expect(rows([person(9_000, 12_000), person(15_000, 16_000), person(20_000, 21_000)])).to.have.length(2));

  it('makes an impression of 1.0 s of presence and of no less', () => {
    expect(row(person(0, 11_000)).isImpression).to.equal(true);
    expect(row(person(0, 10_999)).isImpression).to.equal(false);
  });

  it('makes an impression of a glance, however short the presence', () =>
    expect(row(person(10_000, 10_500, [10_000, 10_500]))).to.include({ isGlance: true, isImpression: true }));

  it('calls one millisecond watched', () =>
    expect(row(person(0, 30_000, [15_000, 15_001]))).to.include({ watchMs: 1, isWatched: true, isGlance: false }));

  it('makes a glance of 0.5 s and a view of 2.0 s of watching, and of no less', () => {
    expect(row(person(0, 30_000, [15_000, 15_499])).isGlance).to.equal(false);
    expect(row(person(0, 30_000, [15_000, 15_500])).isGlance).to.equal(true);
    expect(row(person(0, 30_000, [15_000, 16_999])).isView).to.equal(false);
    expect(row(person(0, 30_000, [15_000, 17_000])).isView).to.equal(true);
  });

  it('makes a view-through of 75 % watched by somebody who missed at most 0.5 s', () => {
    expect(row(person(10_500, 20_000, [11_000, 18_500])).isViewThrough).to.equal(true);
    expect(row(person(10_501, 20_000, [11_000, 18_500])).isViewThrough).to.equal(false);
    expect(row(person(10_500, 20_000, [11_000, 18_499])).isViewThrough).to.equal(false);
  });

  it('makes no view-through without a view, however short the play', () => {
    const short = attributeAudience(
      { startMs: 0, durationMs: 1_500 },
      [person(0, 1_500, [0, 1_500])],
      defaultThresholds,
    );
    expect(short[0]).to.include({ watchMs: 1_500, isGlance: true, isView: false, isViewThrough: false });
  });

  it('compares shares in integers: 0.1 % of 3 s is 3 ms exactly', () => {
    const share = { view_ms: 1, glance_ms: 1, view_through_share: 0.001, view_through_slack_ms: 10_000 };
    const watching = (ms: number) =>
      attributeAudience({ startMs: 0, durationMs: 3_000 }, [person(0, 3_000, [0, ms])], {
        ...defaultThresholds,
        ...share,
      });
    expect(watching(3)[0]?.isViewThrough).to.equal(true);
    expect(watching(2)[0]?.isViewThrough).to.equal(false);
  });

  it('closes gaps of up to 0.3 s between looks, and no wider ones', () => {
    expect(row(person(0, 30_000, [12_000, 12_100], [12_400, 12_500])).watches).to.deep.equal([
      { from: 12_000, to: 12_500 },
    ]);
    expect(row(person(0, 30_000, [12_000, 12_100], [12_401, 12_500])).watchMs).to.equal(199);
  });

  it('closes a gap that lies across the start of the play', () =>
    expect(row(person(0, 30_000, [9_000, 9_900], [10_100, 10_200])).watches).to.deep.equal([
      { from: 10_000, to: 10_200 },
    ]));

  it('rounds attention half up', () => {
    expect(row(person(10_000, 10_200, [10_000, 10_001]), { merge_gap_ms: 0 }).attention).to.equal(1);
    expect(row(person(10_000, 10_201, [10_000, 10_001]), { merge_gap_ms: 0 }).attention).to.equal(0);
    expect(row(person(10_000, 10_200, [10_000, 10_200])).attention).to.equal(100);
  });
});
