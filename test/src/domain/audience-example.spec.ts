import { defaultThresholds } from '@popsvc/contracts/metrics';
import { attributeAudience, summarizeDetection } from '../oracle/audience.ts';
import { expect } from 'chai';

const person = {
  from: 6_000,
  to: 31_400,
  watches: [
    { from: 8_000, to: 9_200 },
    { from: 10_000, to: 19_000 },
    { from: 25_000, to: 25_300 },
  ],
  population: 'VIEWER',
} as const;

const none = { isImpression: false, isWatched: false, isGlance: false, isView: false, isViewThrough: false };
const all = { isImpression: true, isWatched: true, isGlance: true, isView: true, isViewThrough: true };

/** The worked example of attribution: plays A to D of 10 s each, from 0 to 40 s. */
describe('the worked example: a person is present from 6 to 31.4 s and watches 8–9.2, 10–19 and 25–25.3', () => {
  const during = (startMs: number) => {
    const rows = attributeAudience({ startMs, durationMs: 10_000 }, [person], defaultThresholds);
    expect(rows).to.have.length(1);
    return rows[0];
  };
  const seen = { popType: 'VIEWER', detection: person };

  it('A: 4.0 s present, 1.2 s watching, 30: impression, watched, glance', () =>
    expect(during(0)).to.deep.equal({
      ...seen,
      ...none,
      presenceMs: 4_000,
      watchMs: 1_200,
      attention: 30,
      watches: [{ from: 8_000, to: 9_200 }],
      isImpression: true,
      isWatched: true,
      isGlance: true,
    }));

  it('B: 10 s present, 9 s watching, 90: all flags', () =>
    expect(during(10_000)).to.deep.equal({
      ...seen,
      ...all,
      presenceMs: 10_000,
      watchMs: 9_000,
      attention: 90,
      watches: [{ from: 10_000, to: 19_000 }],
    }));

  it('C: 10 s present, 0.3 s watching, 3: impression, watched', () =>
    expect(during(20_000)).to.deep.equal({
      ...seen,
      ...none,
      presenceMs: 10_000,
      watchMs: 300,
      attention: 3,
      watches: [{ from: 25_000, to: 25_300 }],
      isImpression: true,
      isWatched: true,
    }));

  it('D: 1.4 s present, not watching: impression', () =>
    expect(during(30_000)).to.deep.equal({
      ...seen,
      ...none,
      presenceMs: 1_400,
      watchMs: 0,
      attention: 0,
      watches: [],
      isImpression: true,
    }));

  it('as a whole: 25.4 s, of which 10.5 s watching, 41', () =>
    expect(summarizeDetection(person, defaultThresholds)).to.deep.equal({
      isWatcher: true,
      durationMs: 25_400,
      watchMs: 10_500,
      attention: 41,
    }));
});
