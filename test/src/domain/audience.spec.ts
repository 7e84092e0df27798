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

describe('the audience of a play', () => {
  it('is one UNMEASURED row without a detection', () =>
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

  it('is NONE if a feeder was online and no person was detected', () =>
    expect(attributeAudience({ ...play, feederOnline: true }, [], defaultThresholds)[0]?.popType).to.equal('NONE'));

  it('has the detected persons, whether or not a feeder was online', () =>
    expect(
      attributeAudience({ ...play, feederOnline: true }, [person(0, 12_000)], defaultThresholds)[0]?.popType,
    ).to.equal('VIEWER'));

  it('has the population of the detection', () =>
    expect(row({ ...person(0, 30_000), population: 'VEHICLE' }).popType).to.equal('VEHICLE'));

  it('has a row for 0.1 s of presence', () => expect(row(person(0, 10_100)).presenceMs).to.equal(100));
  it('has no row for less presence', () => expect(row(person(0, 10_099)).popType).to.equal('UNMEASURED'));
  it('has no row for a detection that ends when the play begins', () =>
    expect(row(person(0, 10_000)).popType).to.equal('UNMEASURED'));
  it('has no row for a detection that begins when the play ends', () =>
    expect(row(person(20_000, 30_000)).popType).to.equal('UNMEASURED'));

  it('has a row for each detection, also of one person detected twice', () =>
    expect(rows([person(9_000, 12_000), person(15_000, 16_000), person(20_000, 21_000)])).to.have.length(2));

  it('has an impression from 1.0 s of presence', () => {
    expect(row(person(0, 11_000)).isImpression).to.equal(true);
    expect(row(person(0, 10_999)).isImpression).to.equal(false);
  });

  it('has an impression for a glance, for any presence', () =>
    expect(row(person(10_000, 10_500, [10_000, 10_500]))).to.include({ isGlance: true, isImpression: true }));

  it('is watched from one millisecond', () =>
    expect(row(person(0, 30_000, [15_000, 15_001]))).to.include({ watchMs: 1, isWatched: true, isGlance: false }));

  it('has a glance from 0.5 s and a view from 2.0 s of watching', () => {
    expect(row(person(0, 30_000, [15_000, 15_499])).isGlance).to.equal(false);
    expect(row(person(0, 30_000, [15_000, 15_500])).isGlance).to.equal(true);
    expect(row(person(0, 30_000, [15_000, 16_999])).isView).to.equal(false);
    expect(row(person(0, 30_000, [15_000, 17_000])).isView).to.equal(true);
  });

  it('has a view-through from 75 % watched with at most 0.5 s of absence', () => {
    expect(row(person(10_500, 20_000, [11_000, 18_500])).isViewThrough).to.equal(true);
    expect(row(person(10_501, 20_000, [11_000, 18_500])).isViewThrough).to.equal(false);
    expect(row(person(10_500, 20_000, [11_000, 18_499])).isViewThrough).to.equal(false);
  });

  it('has no view-through without a view, for any length of the play', () => {
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

  it('closes gaps of up to 0.3 s between watch intervals, and no wider ones', () => {
    expect(row(person(0, 30_000, [12_000, 12_100], [12_400, 12_500])).watches).to.deep.equal([
      { from: 12_000, to: 12_500 },
    ]);
    expect(row(person(0, 30_000, [12_000, 12_100], [12_401, 12_500])).watchMs).to.equal(199);
  });

  it('closes a gap across the start of the play', () =>
    expect(row(person(0, 30_000, [9_000, 9_900], [10_100, 10_200])).watches).to.deep.equal([
      { from: 10_000, to: 10_200 },
    ]));

  it('rounds attention half up', () => {
    expect(row(person(10_000, 10_200, [10_000, 10_001]), { merge_gap_ms: 0 }).attention).to.equal(1);
    expect(row(person(10_000, 10_201, [10_000, 10_001]), { merge_gap_ms: 0 }).attention).to.equal(0);
    expect(row(person(10_000, 10_200, [10_000, 10_200])).attention).to.equal(100);
  });
});
