import { type IntervalVersion, newerInterval } from '../oracle/uptime.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const version = (given: Partial<IntervalVersion>): IntervalVersion => ({
  endedAtMs: null,
  lastHeartbeatAtMs: null,
  revision: 0,
  position: 0,
  ...given,
});
const few = fc.integer({ min: 0, max: 2 });
const versions = fc
  .array(
    fc.record({
      endedAtMs: fc.option(few, { nil: null }),
      lastHeartbeatAtMs: fc.option(few, { nil: null }),
      revision: few,
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((all) => all.map((each, position) => version({ ...each, position })));

describe('the current version of an interval', () => {
  const expectCurrent = (winner: Partial<IntervalVersion>, loser: Partial<IntervalVersion>) => {
    const [one, other] = [version(winner), version(loser)];
    expect(newerInterval(one, other)).to.equal(one);
    expect(newerInterval(other, one)).to.equal(one);
  };

  it('is closed rather than open', () => {
    expectCurrent({ endedAtMs: 1 }, { lastHeartbeatAtMs: 9, revision: 9, position: 9 });
  });

  it('has, of open versions, the later last heartbeat; none is the earliest', () => {
    expectCurrent({ lastHeartbeatAtMs: 2 }, { lastHeartbeatAtMs: 1, revision: 9, position: 9 });
    expectCurrent({ lastHeartbeatAtMs: 0 }, { revision: 9, position: 9 });
  });

  it('has then the higher revision, then the later position', () => {
    expectCurrent({ revision: 1 }, { revision: 0, position: 9 });
    expectCurrent({ lastHeartbeatAtMs: 1, position: 2 }, { lastHeartbeatAtMs: 1, position: 1 });
  });

  it('has, of closed versions, the higher revision, for any heartbeat and end', () => {
    expectCurrent({ endedAtMs: 1, revision: 1 }, { endedAtMs: 5, lastHeartbeatAtMs: 5, position: 9 });
    expectCurrent({ endedAtMs: 1, position: 2 }, { endedAtMs: 5, lastHeartbeatAtMs: 5, position: 1 });
  });

  it('does not depend on the order of comparison', () => {
    fc.assert(
      fc.property(
        versions.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(shuffled.reduce((one, other) => newerInterval(one, other))).to.equal(
            all.reduce((one, other) => newerInterval(one, other)),
          );
        },
      ),
      runs(300),
    );
  });
});
