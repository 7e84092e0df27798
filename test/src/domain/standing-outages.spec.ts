import { effectiveOutages } from '../oracle/outages.ts';
import { expect } from 'chai';

const s = 1_000;

describe('outages as they stand', () => {
  const stands = (
    recorded: readonly [number, number | null],
    beats: readonly number[],
    ...parts: (readonly [number, number | null])[]
  ) => {
    const [from, to] = recorded;
    const given = { offlineAtMs: from * s, onlineAtMs: to === null ? null : to * s };
    const left = effectiveOutages(
      given,
      beats.map((at) => at * s),
    );
    expect(
      left.map(({ offlineAtMs, onlineAtMs }) => [offlineAtMs / s, onlineAtMs === null ? null : onlineAtMs / s]),
    ).to.deep.equal(parts);
    return left.map(({ backfilled }) => backfilled);
  };

  it('are as recorded, when nothing was backfilled', () => {
    expect(stands([1_000, 5_000], [], [1_000, 5_000])).to.deep.equal([false]);
    expect(stands([1_000, null], [], [1_000, null])).to.deep.equal([false]);
  });

  it('are shorter by the 300 s after each backfilled heartbeat, counted once', () => {
    expect(stands([1_000, 5_000], [900, 950], [1_250, 5_000])).to.deep.equal([true]);
    stands([1_000, 5_000], [4_900], [1_000, 4_900]);
    expect(stands([1_000, 5_000], [2_000, 2_200], [1_000, 2_000], [2_500, 5_000])).to.deep.equal([true, true]);
    stands([1_000, null], [2_000, 2_300], [1_000, 2_000], [2_600, null]);
    stands([1_000, 1_600], [1_300, 1_000]);
  });

  it('do not change by what was alive before or after', () => {
    expect(stands([1_000, 5_000], [700, 5_000, 100], [1_000, 5_000])).to.deep.equal([false]);
  });

  it('vanish when they have no length', () => {
    stands([1_000, 1_000], []);
  });
});
