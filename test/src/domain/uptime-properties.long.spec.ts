import {
  type AppHeartbeat,
  intervalsFromRuns,
  type IntervalRecord,
  joinRuns,
  computeUptime,
} from '@popsvc/domain/uptime';
import { groupHeartbeats } from '../oracle/uptime.ts';
import type { AppState } from '@popsvc/contracts/vocabulary';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';
import { uptimeBySecond } from './uptime-by-second.ts';

const state: fc.Arbitrary<AppState> = fc.constantFrom('running', 'stopped');
/** Whole seconds within half an hour, as the specification requires. Many are a silence apart. */
const second = fc.oneof(
  fc.nat(1_800),
  fc.nat(30).map((minute) => 60 * minute),
  fc.tuple(fc.nat(9), fc.integer({ min: -1, max: 1 })).map(([silences, off]) => Math.max(0, 180 * silences + off)),
);
const beat: fc.Arbitrary<AppHeartbeat> = fc.record({ state, atMs: second.map((at) => 1_000 * at) });
const interval: fc.Arbitrary<IntervalRecord> = fc
  .tuple(state, second, fc.option(fc.nat(600), { nil: null }), fc.option(fc.nat(600), { nil: null }))
  .map(([its, start, length, lastHeartbeat]) => ({
    state: its,
    startedAtMs: 1_000 * start,
    endedAtMs: length === null ? null : 1_000 * (start + length),
    lastHeartbeatAtMs:
      lastHeartbeat === null ? null : 1_000 * (start + Math.min(lastHeartbeat, length ?? lastHeartbeat)),
  }));
const windows = fc
  .tuple(second, second, second)
  .map((three) => three.toSorted((one, other) => one - other))
  .filter(([from, to]) => from! < to!)
  .map(([from, to, now]) => ({ window: { from: 1_000 * from!, to: 1_000 * to! }, nowMs: 1_000 * now! }));
const beats = fc.array(beat, { maxLength: 25 });
const intervals = fc.array(interval, { maxLength: 5 });

const recordsOf = (some: readonly AppHeartbeat[], pushed: readonly IntervalRecord[], nowMs: number) => [
  ...pushed,
  ...intervalsFromRuns(groupHeartbeats(some.filter(({ atMs }) => atMs <= nowMs))),
];

describe('uptime of random histories', () => {
  it('equals the uptime computed second by second', () =>
    fc.assert(
      fc.property(beats, intervals, windows, (some, pushed, { window, nowMs }) => {
        const { runningSeconds, intervalCount, current, ...rest } = computeUptime(
          recordsOf(some, pushed, nowMs),
          window,
          nowMs,
        );
        const marked = uptimeBySecond({ beats: some, pushed }, window, nowMs);
        expect({ runningSeconds, intervalCount }).to.deep.equal({
          runningSeconds: marked.runningSeconds,
          intervalCount: marked.intervalCount,
        });
        expect(marked.latest, JSON.stringify(current)).to.deep.include(current);
        expect(rest.windowSeconds).to.equal((window.to - window.from) / 1_000);
        expect(rest.stoppedSeconds).to.equal(rest.windowSeconds - runningSeconds);
        expect(Math.abs(rest.uptimePct - (100 * runningSeconds) / rest.windowSeconds)).to.be.at.most(0.005_000_1);
      }),
      runs(1_500),
    ));

  it('does not depend on the order of arrival', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(beat, fc.integer({ min: -2, max: 2 })), { maxLength: 25 }),
        intervals,
        windows,
        fc.infiniteStream(fc.nat()),
        (some, pushed, { window, nowMs }, chance) => {
          const shuffled = <Item>(items: readonly Item[]) =>
            items
              .map((item) => [chance.next().value as number, item] as const)
              .sort(([one], [other]) => one - other)
              .map(([, item]) => item);
          const jittered = some.map(([{ atMs, ...rest }, off]) => ({ ...rest, atMs: Math.max(0, atMs + off) }));
          const inOrder = computeUptime(recordsOf(jittered, pushed, nowMs), window, nowMs);
          expect(computeUptime(shuffled(recordsOf(shuffled(jittered), pushed, nowMs)), window, nowMs)).to.deep.equal(
            inOrder,
          );
        },
      ),
      runs(500),
    ));

  it('is the same from heartbeats read in parts', () =>
    fc.assert(
      fc.property(beats, fc.array(second, { maxLength: 4 }), (some, cuts) => {
        const edges = [0, ...cuts.map((cut) => 1_000 * cut).sort((one, other) => one - other), Infinity];
        const stretches = edges
          .slice(1)
          .map((to, index) => groupHeartbeats(some.filter(({ atMs }) => atMs >= edges[index]! && atMs < to)));
        expect(stretches.reduce((all, stretch) => joinRuns(all, stretch), [])).to.deep.equal(groupHeartbeats(some));
      }),
      runs(500),
    ));

  it('never decreases when the window grows', () =>
    fc.assert(
      fc.property(beats, intervals, windows, fc.nat(300), (some, pushed, { window, nowMs }, earlier) => {
        const records = recordsOf(some, pushed, nowMs);
        const wider = { ...window, from: window.from - 1_000 * earlier };
        const [narrow, wide] = [window, wider].map((one) => computeUptime(records, one, nowMs));
        expect(wide!.runningSeconds).to.be.at.least(narrow!.runningSeconds);
        expect(wide!.intervalCount).to.be.at.least(narrow!.intervalCount);
      }),
      runs(300),
    ));
});
