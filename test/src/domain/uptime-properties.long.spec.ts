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
import { markedUptime } from './marked-uptime.ts';

const state: fc.Arbitrary<AppState> = fc.constantFrom('running', 'stopped');
/** Whole seconds within half an hour: the model marks each. Many lie at the edges of a silence from each other. */
const second = fc.oneof(
  fc.nat(1_800),
  fc.nat(30).map((minute) => 60 * minute),
  fc.tuple(fc.nat(9), fc.integer({ min: -1, max: 1 })).map(([silences, off]) => Math.max(0, 180 * silences + off)),
);
const beat: fc.Arbitrary<AppHeartbeat> = fc.record({ state, atMs: second.map((at) => 1_000 * at) });
const interval: fc.Arbitrary<IntervalRecord> = fc
  .tuple(state, second, fc.option(fc.nat(600), { nil: null }), fc.option(fc.nat(600), { nil: null }))
  .map(([its, start, length, heard]) => ({
    state: its,
    startedAtMs: 1_000 * start,
    endedAtMs: length === null ? null : 1_000 * (start + length),
    lastHeartbeatAtMs: heard === null ? null : 1_000 * (start + Math.min(heard, length ?? heard)),
  }));
const asked = fc
  .tuple(second, second, second)
  .map((three) => three.toSorted((one, other) => one - other))
  .filter(([from, to]) => from! < to!)
  .map(([from, to, now]) => ({ window: { from: 1_000 * from!, to: 1_000 * to! }, nowMs: 1_000 * now! }));
const beats = fc.array(beat, { maxLength: 25 });
const intervals = fc.array(interval, { maxLength: 5 });

const told = (some: readonly AppHeartbeat[], pushed: readonly IntervalRecord[], nowMs: number) => [
  ...pushed,
  ...intervalsFromRuns(groupHeartbeats(some.filter(({ atMs }) => atMs <= nowMs))),
];

describe('uptime of anything', () => {
  it('is what marking every second gives', () =>
    fc.assert(
      fc.property(beats, intervals, asked, (some, pushed, { window, nowMs }) => {
        const { runningSeconds, intervalCount, current, ...rest } = computeUptime(
          told(some, pushed, nowMs),
          window,
          nowMs,
        );
        const marked = markedUptime({ beats: some, pushed }, window, nowMs);
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

  it('does not care in which order anything arrives', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(beat, fc.integer({ min: -2, max: 2 })), { maxLength: 25 }),
        intervals,
        asked,
        fc.infiniteStream(fc.nat()),
        (some, pushed, { window, nowMs }, chance) => {
          const shuffled = <Item>(items: readonly Item[]) =>
            items
              .map((item) => [chance.next().value as number, item] as const)
              .sort(([one], [other]) => one - other)
              .map(([, item]) => item);
          const jittered = some.map(([{ atMs, ...rest }, off]) => ({ ...rest, atMs: Math.max(0, atMs + off) }));
          const inOrder = computeUptime(told(jittered, pushed, nowMs), window, nowMs);
          expect(computeUptime(shuffled(told(shuffled(jittered), pushed, nowMs)), window, nowMs)).to.deep.equal(
            inOrder,
          );
        },
      ),
      runs(500),
    ));

  it('comes out the same from heartbeats read in stretches', () =>
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

  it('never loses what was counted when the window grows', () =>
    fc.assert(
      fc.property(beats, intervals, asked, fc.nat(300), (some, pushed, { window, nowMs }, earlier) => {
        const records = told(some, pushed, nowMs);
        const wider = { ...window, from: window.from - 1_000 * earlier };
        const [narrow, wide] = [window, wider].map((one) => computeUptime(records, one, nowMs));
        expect(wide!.runningSeconds).to.be.at.least(narrow!.runningSeconds);
        expect(wide!.intervalCount).to.be.at.least(narrow!.intervalCount);
      }),
      runs(300),
    ));
});
