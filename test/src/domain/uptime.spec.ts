import { intervalsFromRuns, computeUptime } from '@popsvc/domain/uptime';
import { groupHeartbeats } from '../oracle/uptime.ts';
import { expect } from 'chai';
import { beats, minutes, record, seconds } from './uptime-records.ts';

const halfHour = { from: 0, to: minutes(30) };
const later = minutes(600);

describe('intervals formed from heartbeats', () => {
  const formed = (...history: readonly (readonly ['running' | 'stopped', ...number[]])[]) =>
    intervalsFromRuns(groupHeartbeats(history.flatMap(([state, ...at]) => beats(state, ...at)))).map(
      ({ state, startedAtMs, endedAtMs, lastHeartbeatAtMs }) => [
        state,
        ...[startedAtMs, endedAtMs, lastHeartbeatAtMs].map((ms) => ms && ms / 1_000),
      ],
    );

  it('are runs of one state; the last one is open', () =>
    expect(formed(['running', 0, 60, 120])).to.deep.equal([['running', 0, null, 120]]));
  it('continue over a silence of 180 s', () =>
    expect(formed(['running', 0, 180])).to.deep.equal([['running', 0, null, 180]]));
  it('end at their last heartbeat if the silence is a millisecond longer', () =>
    expect(formed(['running', 0, 60, 240.001, 300])).to.deep.equal([
      ['running', 0, 60, 60],
      ['running', 240.001, null, 300],
    ]));
  it('end when another state begins', () =>
    expect(formed(['running', 0, 60], ['stopped', 120, 180])).to.deep.equal([
      ['running', 0, 120, 60],
      ['stopped', 120, null, 180],
    ]));
  it('end at their last heartbeat if another state begins after a gap', () =>
    expect(formed(['running', 0, 60], ['stopped', 241])).to.deep.equal([
      ['running', 0, 60, 60],
      ['stopped', 241, null, 241],
    ]));
  it('can have one heartbeat', () =>
    expect(formed(['running', 0, 500, 1_000])).to.deep.equal([
      ['running', 0, 0, 0],
      ['running', 500, 500, 500],
      ['running', 1_000, null, 1_000],
    ]));
  it('do not depend on order or repetition', () =>
    expect(formed(['running', 120, 0, 60, 0], ['stopped', 240, 180, 240])).to.deep.equal([
      ['running', 0, 180, 120],
      ['stopped', 180, null, 240],
    ]));
  it('are stopped at an instant with both states, in any order', () => {
    const once = [
      ['running', 0, 60, 0],
      ['stopped', 60, null, 60],
    ];
    expect(formed(['running', 0, 60], ['stopped', 60])).to.deep.equal(once);
    expect(formed(['stopped', 60], ['running', 0, 60])).to.deep.equal(once);
  });
  it('are none without heartbeats', () => expect(formed()).to.deep.equal([]));
});

describe('the end of an interval', () => {
  /** Seconds that count between the beginning and an hour later, at the time `nowMs`. */
  const runs = (at: number, ...records: readonly ReturnType<typeof record>[]) =>
    computeUptime(records, { from: 0, to: Math.min(minutes(60), at) }, at).runningSeconds;
  const open = record({ from: 0, lastHeartbeat: 600 });

  it('is its own end if it is closed, for any heartbeat', () =>
    expect(runs(later, record({ from: 0, to: 900, lastHeartbeat: 100 }))).to.equal(900));
  it('is 180 s after the last heartbeat if it is the newest and open', () => expect(runs(later, open)).to.equal(780));
  it('is now if that is earlier', () => expect(runs(seconds(700), open)).to.equal(700));
  it('is 180 s after its start if it is the newest and open without a heartbeat', () => {
    expect(runs(later, record({ from: 0 }))).to.equal(180);
    expect(runs(seconds(100), record({ from: 0 }))).to.equal(100);
  });
  it('is its last heartbeat if it is open and a newer one is open', () =>
    expect(runs(later, open, record({ from: 1_200 }))).to.equal(600 + 180));
  it('is its last heartbeat if it is open and a newer one is closed', () =>
    expect(runs(later, open, record({ from: 1_200, to: 1_300 }))).to.equal(600 + 100));
  it('is its start if it is open, not the newest and without a heartbeat', () =>
    expect(runs(later, record({ from: 0 }), record({ from: 1_200, to: 1_300 }))).to.equal(100));
  it('is the same for pushed intervals and intervals of heartbeats', () => {
    const beating = intervalsFromRuns(groupHeartbeats(beats('running', 1_200, 1_260)));
    expect(runs(later, open, ...beating)).to.equal(600 + 60 + 180);
    expect(runs(later, ...beating, record({ from: 2_000, to: 2_000 }))).to.equal(60);
  });
  it('does not change for a newer one that has not begun', () =>
    expect(runs(seconds(700), open, record({ from: 701 }))).to.equal(700));
  it('can be in the future', () => expect(runs(seconds(700), record({ from: 600, to: 9_000 }))).to.equal(100));
  it('depends on its own heartbeat if two open intervals have the same start', () =>
    expect(
      runs(later, record({ from: 0, lastHeartbeat: 60 }), record({ from: 0, lastHeartbeat: 120, state: 'stopped' })),
    ).to.equal(300));
});

describe('uptime in a window', () => {
  const of = (window: { from: number; to: number }, ...records: readonly ReturnType<typeof record>[]) =>
    computeUptime(records, window, later);
  const summaryOf = (...given: Parameters<typeof of>) => {
    const { runningSeconds, stoppedSeconds, uptimePct, intervalCount } = of(...given);
    return [runningSeconds, stoppedSeconds, uptimePct, intervalCount];
  };
  const everyMinute = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, minute) => 60 * (from + minute));

  it('matches the example of decisions: running from 0 to 10 and from 20 to 30 minutes', () => {
    const history = beats('running', ...everyMinute(0, 10), ...everyMinute(20, 30));
    expect(summaryOf(halfHour, ...intervalsFromRuns(groupHeartbeats(history)))).to.deep.equal([1_200, 600, 66.67, 2]);
  });
  it('matches the example of decisions: running to 10 minutes, then stopped to 30', () => {
    const history = [...beats('running', ...everyMinute(0, 9)), ...beats('stopped', ...everyMinute(10, 30))];
    expect(summaryOf(halfHour, ...intervalsFromRuns(groupHeartbeats(history)))).to.deep.equal([1_800, 0, 100, 2]);
  });
  it('counts overlaps once', () =>
    expect(
      summaryOf(halfHour, record({ from: 0, to: 600 }), record({ from: 300, to: 900, state: 'stopped' })),
    ).to.deep.equal([900, 900, 50, 2]));
  it('counts the part within the window', () =>
    expect(
      summaryOf(
        { from: minutes(10), to: minutes(30) },
        record({ from: 0, to: 660 }),
        record({ from: 1_740, to: 4_000 }),
      ),
    ).to.deep.equal([120, 1_080, 10, 2]));
  it('does not count intervals that only touch it', () =>
    expect(
      summaryOf(
        { from: minutes(10), to: minutes(30) },
        record({ from: 0, to: 600 }),
        record({ from: 1_800, to: 4_000 }),
      ),
    ).to.deep.equal([0, 1_200, 0, 0]));
  it('counts an interval without length in it', () => {
    const window = { from: minutes(10), to: minutes(30) };
    expect(summaryOf(window, record({ from: 600, to: 600 }), record({ from: 1_799.999, to: 1_799.999 }))).to.deep.equal(
      [0, 1_200, 0, 2],
    );
    expect(summaryOf(window, record({ from: 599.999, to: 599.999 }), record({ from: 1_800, to: 1_800 }))[3]).to.equal(
      0,
    );
  });
  it('rounds down to whole seconds at the end', () => {
    const records = [0, 10, 20].map((from) => record({ from, to: from + 0.5 }));
    expect(summaryOf({ from: 0, to: 60_999 }, ...records)).to.deep.equal([1, 59, 1.67, 3]);
    expect(of({ from: 0, to: 60_999 }).windowSeconds).to.equal(60);
  });
  it('rounds half up', () => {
    const percent = (running: number, whole: number) =>
      of({ from: 0, to: seconds(whole) }, record({ from: 0, to: running })).uptimePct;
    expect([percent(1, 20_000), percent(1, 20_001), percent(1, 800), percent(2, 3)]).to.deep.equal([
      0.01, 0, 0.13, 66.67,
    ]);
  });
  it('is 0 in a window of less than a second', () =>
    expect(summaryOf({ from: 0, to: 999 }, record({ from: 0, to: 60 }))).to.deep.equal([0, 0, 0, 1]));
  it('is stopped since its start without intervals', () => {
    expect(of(halfHour)).to.deep.equal({
      windowSeconds: 1_800,
      runningSeconds: 0,
      stoppedSeconds: 1_800,
      uptimePct: 0,
      intervalCount: 0,
      current: { state: 'stopped', sinceMs: 0, lastHeartbeatMs: null },
    });
  });

  const current = (...given: Parameters<typeof of>) => {
    const { state, sinceMs, lastHeartbeatMs: lastHeartbeatMs } = of(...given).current;
    return [state, sinceMs / 1_000, lastHeartbeatMs && lastHeartbeatMs / 1_000];
  };
  it('has the state of the latest interval, since its own start', () => {
    const records = [
      record({ from: 60, to: 300, state: 'stopped' }),
      record({ from: 0, to: 2_000, lastHeartbeat: 1_990 }),
    ];
    const window = { from: minutes(2), to: minutes(30) };
    expect(current(window, ...records)).to.deep.equal(['stopped', 60, null]);
    expect(current(window, ...records.toReversed())).to.deep.equal(['stopped', 60, null]);
    expect(current({ ...window, from: minutes(5) }, ...records)).to.deep.equal(['running', 0, 1_990]);
  });
  it('ignores later intervals', () =>
    expect(current(halfHour, record({ from: 0, to: 60 }), record({ from: 1_800, state: 'stopped' }))).to.deep.equal([
      'running',
      0,
      null,
    ]));
  it('has the state of the interval with the latest heartbeat if several begin together', () => {
    const records = [
      record({ from: 0, lastHeartbeat: 60 }),
      record({ from: 0, lastHeartbeat: 50, state: 'stopped' }),
      record({ from: 0 }),
    ];
    expect(current(halfHour, ...records)).to.deep.equal(['running', 0, 60]);
    expect(current(halfHour, ...records.toReversed())).to.deep.equal(['running', 0, 60]);
  });
});
