import { type AppHeartbeat, intervalsFromRuns, computeUptime } from '@popsvc/domain/uptime';
import { groupHeartbeats } from '../oracle/uptime.ts';
import { type ReadRuns, readRunsAround } from '@popsvc/query-api/uptime';
import { expect } from 'chai';
import fc from 'fast-check';

const [minute, day] = [60_000, 86_400_000];
const start = Date.UTC(2026, 0, 1);
const numRuns = process.env['POPSVC_LONG'] === '1' ? 20_000 : 500;

/** An in-memory store. As in ClickHouse, only the beginning of the second of the first two runs is correct. */
const readerOf =
  (beats: readonly AppHeartbeat[], lengths: number[] = []): ReadRuns =>
  ({ from, to }, which) => {
    lengths.push(to - from);
    const runs = groupHeartbeats(beats.filter(({ atMs }) => atMs >= from && atMs < to));
    const last = runs.at(-1)?.lastMs ?? 0;
    if (which === 'all') return Promise.resolve(runs);
    if (which === 'last') return Promise.resolve(runs.slice(-1));
    return Promise.resolve(runs.slice(0, 2).map((run, index) => (index === 1 ? { ...run, lastMs: last } : run)));
  };

/** Clusters of heartbeats on few days, so that runs, gaps and empty days occur. */
const beats = fc
  .array(
    fc.record({
      day: fc.nat(30),
      from: fc.nat(60),
      steps: fc.array(fc.constantFrom(30_000, minute, 180_000, 180_001, 240_000), { maxLength: 12 }),
      state: fc.constantFrom('running' as const, 'stopped' as const),
    }),
    { maxLength: 12 },
  )
  .map((clusters) =>
    clusters.flatMap(({ day: on, from, steps, state }) => {
      let atMs = start + on * day + from * minute;
      return [{ state, atMs }, ...steps.map((step): AppHeartbeat => ({ state, atMs: (atMs += step) }))];
    }),
  );
const instant = fc.tuple(fc.nat(30), fc.nat(100)).map(([on, minutes]) => start + on * day + minutes * minute);
const windows = fc
  .tuple(instant, instant, instant)
  .map((three) => three.toSorted((one, other) => one - other))
  .filter(([from, to]) => from! < to!)
  .map(([from, to, now]) => ({ window: { from: from!, to: to! }, nowMs: now! }));

describe('the runs of heartbeats around a window', () => {
  it('give the same uptime as all runs', () =>
    fc.assert(
      fc.asyncProperty(beats, windows, async (some, { window, nowMs }) => {
        const all = intervalsFromRuns(groupHeartbeats(some.filter(({ atMs }) => atMs <= nowMs)));
        const around = intervalsFromRuns(await readRunsAround(readerOf(some), window, nowMs));
        expect(computeUptime(around, window, nowMs)).deep.equal(computeUptime(all, window, nowMs));
      }),
      process.env['POPSVC_LONG'] === '1' ? { numRuns } : { numRuns, seed: 8_120 },
    ));

  it('are read in few steps even if a run lasts a decade', async () => {
    const [from, to] = [start - 10 * 365 * day, start];
    const lengths: number[] = [];
    const read: ReadRuns = (span) => {
      lengths.push(span.to - span.from);
      const [first, last] = [Math.max(from, span.from), Math.min(to, span.to - 1)];
      return Promise.resolve(first <= last ? [{ state: 'running', firstMs: first, lastMs: last }] : []);
    };
    const middle = start - 5 * 365 * day;
    const runs = await readRunsAround(read, { from: middle, to: middle + day }, start);
    expect(runs).deep.equal([{ state: 'running', firstMs: from, lastMs: to }]);
    expect(lengths.length).at.most(12);
  });

  it('are read in one step if the window begins and ends with a gap', async () => {
    const lengths: number[] = [];
    const some = [0, 1, 2].map((minutes): AppHeartbeat => ({ state: 'running', atMs: start + minutes * minute }));
    await readRunsAround(readerOf(some, lengths), { from: start - day, to: start + day }, start + day);
    expect(lengths).deep.equal([2 * day + 180_001]);
  });
});
