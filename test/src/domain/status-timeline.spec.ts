import { type KnownStatus, statusTimeline } from '@popsvc/domain/status';
import { expect } from 'chai';

const s = 1_000;

describe('the status timeline', () => {
  /** Times are in seconds; the frame is 0 to 10,000 s, and everything up to 10,000 s is known unless given. */
  const timeline = ({
    first,
    last = 9_900,
    until = 10_000,
    outages = [],
    backfilled = [],
  }: {
    first?: number;
    last?: number;
    until?: number;
    outages?: readonly (readonly [number, number | null])[];
    backfilled?: readonly number[];
  }) => {
    const known: KnownStatus = {
      firstReceivedMs: first === undefined ? undefined : first * s,
      lastReceivedMs: first === undefined ? undefined : last * s,
      knownUntilMs: until * s,
      outages: outages.map(([from, to]) => ({ from: from * s, to: to === null ? null : to * s })),
      backfilledMs: backfilled.map((at) => at * s),
    };
    return statusTimeline({ from: 0, to: 10_000 * s }, known).map(({ from, to, status }) => [from / s, to / s, status]);
  };

  it('is unknown before the first heartbeat', () => {
    expect(timeline({})).to.deep.equal([[0, 10_000, 'unknown']]);
    expect(timeline({ first: 4_000 })).to.deep.equal([
      [0, 4_000, 'unknown'],
      [4_000, 10_000, 'online'],
    ]);
    expect(timeline({ first: -5 })).to.deep.equal([[0, 10_000, 'online']]);
    expect(timeline({ first: 20_000 })).to.deep.equal([[0, 10_000, 'unknown']]);
  });

  it('is online in the 300 s after each backfilled heartbeat that precedes the first heartbeat', () => {
    expect(timeline({ first: 4_000, backfilled: [1_000, 3_900, 1_200, -100, 6_000] })).to.deep.equal([
      [0, 200, 'online'],
      [200, 1_000, 'unknown'],
      [1_000, 1_500, 'online'],
      [1_500, 3_900, 'unknown'],
      [3_900, 10_000, 'online'],
    ]);
    expect(timeline({ backfilled: [9_900] })).to.deep.equal([
      [0, 9_900, 'unknown'],
      [9_900, 10_000, 'online'],
    ]);
  });

  it('is offline during outages', () => {
    const outages = [
      [8_000, null],
      [-500, 100],
      [5_000, 6_000],
    ] as const;
    expect(timeline({ first: -9_000, last: 7_700, outages })).to.deep.equal([
      [0, 100, 'offline'],
      [100, 5_000, 'online'],
      [5_000, 6_000, 'offline'],
      [6_000, 8_000, 'online'],
      [8_000, 10_000, 'offline'],
    ]);
  });

  it('is offline 300 s after the last heartbeat, even if the outage is not recorded yet', () => {
    expect(timeline({ first: 0, last: 9_000 })).to.deep.equal([
      [0, 9_300, 'online'],
      [9_300, 10_000, 'offline'],
    ]);
    expect(timeline({ first: 0, last: 9_000, until: 9_200 })).to.deep.equal([
      [0, 9_200, 'online'],
      [9_200, 10_000, 'unknown'],
    ]);
  });

  it('is online from a heartbeat whose outage is still recorded as ongoing', () => {
    expect(timeline({ first: 0, last: 9_900, outages: [[9_000, null]] })).to.deep.equal([
      [0, 9_000, 'online'],
      [9_000, 9_900, 'offline'],
      [9_900, 10_000, 'online'],
    ]);
  });

  it('is unknown after the time up to which heartbeats are known', () => {
    expect(timeline({ first: 0, last: 4_000, until: 6_000, outages: [[4_300, null]] })).to.deep.equal([
      [0, 4_300, 'online'],
      [4_300, 6_000, 'offline'],
      [6_000, 10_000, 'unknown'],
    ]);
    expect(timeline({ first: 4_000, until: -1 })).to.deep.equal([[0, 10_000, 'unknown']]);
  });
});
