import { effectiveOutages } from '../oracle/outages.ts';
import { expect } from 'chai';

const s = 1_000;

describe('effective outages', () => {
  const expectOutages = (
    recorded: readonly [number, number | null],
    heartbeats: readonly number[],
    ...parts: (readonly [number, number | null])[]
  ) => {
    const [from, to] = recorded;
    const given = { offlineAtMs: from * s, onlineAtMs: to === null ? null : to * s };
    const left = effectiveOutages(
      given,
      heartbeats.map((at) => at * s),
    );
    expect(
      left.map(({ offlineAtMs, onlineAtMs }) => [offlineAtMs / s, onlineAtMs === null ? null : onlineAtMs / s]),
    ).to.deep.equal(parts);
    return left.map(({ backfilled }) => backfilled);
  };

  it('equal the recorded outages without backfill', () => {
    expect(expectOutages([1_000, 5_000], [], [1_000, 5_000])).to.deep.equal([false]);
    expect(expectOutages([1_000, null], [], [1_000, null])).to.deep.equal([false]);
  });

  it('are shorter by the 300 s after each backfilled heartbeat, counted once', () => {
    expect(expectOutages([1_000, 5_000], [900, 950], [1_250, 5_000])).to.deep.equal([true]);
    expectOutages([1_000, 5_000], [4_900], [1_000, 4_900]);
    expect(expectOutages([1_000, 5_000], [2_000, 2_200], [1_000, 2_000], [2_500, 5_000])).to.deep.equal([true, true]);
    expectOutages([1_000, null], [2_000, 2_300], [1_000, 2_000], [2_600, null]);
    expectOutages([1_000, 1_600], [1_300, 1_000]);
  });

  it('do not change by heartbeats before or after', () => {
    expect(expectOutages([1_000, 5_000], [700, 5_000, 100], [1_000, 5_000])).to.deep.equal([false]);
  });

  it('are removed without length', () => {
    expectOutages([1_000, 1_000], []);
  });
});
