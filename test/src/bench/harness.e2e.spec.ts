import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { expect } from 'chai';
import {
  alternate,
  mergeIntoGroups,
  type Block,
  compare,
  isConclusive,
  formatRuns,
  cpuUsOf,
  cpuUsWithChildren,
  measureSlice,
  readPeakBytes,
  parseSizes,
  cpuPerUnit,
  mergeSlices,
  type Side,
  type Slice,
  wallPerUnit,
  splitIntoGroups,
  median,
  quantile,
  formatTable,
  startWorker,
  createBodies,
  startOnOwnCores,
} from '@popsvc/tools/bench';

const slice = (wallMs: number, more: Partial<Slice> = {}): Slice => ({
  units: 1,
  wallMs,
  cpuUs: {},
  latenciesMs: [],
  ...more,
});
const block = (baseline: readonly [number, number], system: readonly [number, number]): Block => ({
  F: [slice(baseline[0]), slice(baseline[1])],
  system: [slice(system[0]), slice(system[1])],
});
const comparison = { name: 'wall', unit: 'µs', baseline: 'F', system: 'system', cost: wallPerUnit } as const;

/** Uses CPU time, measured by the CPU clock: on a busy machine the elapsed time can be longer. */
const burn = (cpuMs: number) => {
  const { user, system } = process.cpuUsage();
  for (let spentUs = 0; spentUs < cpuMs * 1_000;) {
    const now = process.cpuUsage();
    spentUs = now.user + now.system - user - system;
  }
};

describe('the harness of the benchmarks', () => {
  it('computes medians and quantiles of unordered values', () => {
    expect(median([3, 1, 2])).to.equal(2);
    expect(median([10, 4, 2, 1])).to.equal(3);
    expect(quantile([5, 1, 4, 2, 3], 0.25)).to.equal(2);
    expect(quantile([0, 10], 0.95)).to.equal(9.5);
    expect(quantile([7], 0.99)).to.equal(7);
    expect(median([])).to.be.NaN;
  });

  it('splits items into consecutive groups', () => {
    expect(splitIntoGroups([1, 2, 3, 4, 5, 6], 4)).to.deep.equal([[1], [2, 3], [4], [5, 6]]);
    expect(splitIntoGroups([1, 2], 4)).to.deep.equal([[1], [2]]);
  });

  it('alternates baselines and system there and back, after a warm-up', async () => {
    const order: string[] = [];
    const side = (name: string): Side => ({
      name,
      slice: () => {
        order.push(name);
        return Promise.resolve(slice(order.length));
      },
    });
    const blocks = await alternate({ sides: [side('F'), side('G'), side('system')], pairs: 4 });
    expect(order.slice(0, 3)).to.deep.equal(['system', 'G', 'F']);
    const turn = ['F', 'G', 'system', 'system', 'G', 'F'];
    expect(order.slice(3)).to.deep.equal([...turn, ...turn]);
    expect(blocks.map((each) => each['F']!.map(({ wallMs }) => wallMs))).to.deep.equal([
      [4, 9],
      [10, 15],
    ]);
    expect(Object.keys(blocks[0]!).sort()).to.deep.equal(['F', 'G', 'system']);
  });

  it('reports the median of the ratios of pairs, not the ratio of medians', () => {
    const blocks = [block([10, 20], [20, 80]), block([100, 100], [300, 300])];
    const times = compare(blocks, { ...comparison, reading: 'times' });
    // 2, 4, 3, 3.
    expect(times.ratio).to.equal(3);
    expect(times.quartiles).to.deep.equal([2.75, 3.25]);
    expect(times.groups).to.deep.equal([2, 4, 3, 3]);
    expect([times.baselineValue, times.systemValue]).to.deep.equal([60_000, 190_000]);
    const share = compare(blocks, { ...comparison, reading: 'share' });
    expect(share.ratio).to.be.closeTo(1 / 3, 1e-12);
  });

  it('is inconclusive if the baseline differs from itself by more than a tenth', () => {
    const compareWith = (back: number) =>
      compare([block([100, back], [100, 100]), block([100, back], [100, 100])], { ...comparison, reading: 'times' });
    expect([89, 90, 100, 110, 111].map((back) => isConclusive(compareWith(back)))).to.deep.equal([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(formatRuns([{ scenario: 's', measures: [compareWith(120)], figures: [] }])).to.include('inconclusive');
    expect(formatRuns([{ scenario: 's', measures: [compareWith(105)], figures: [] }])).to.not.include('inconclusive');
    expect(isConclusive({ selfRatio: undefined })).to.equal(true);
  });

  it('merges slices into one', () => {
    const one = slice(10, { units: 2, cpuUs: { a: 100 }, latenciesMs: [1, 2] });
    const two = slice(20, { units: 4, cpuUs: { a: 200, b: 600 }, latenciesMs: [3] });
    const all = mergeSlices([one, two]);
    expect(all).to.deep.equal({ units: 6, wallMs: 30, cpuUs: { a: 300, b: 600 }, latenciesMs: [1, 2, 3] });
    expect([cpuPerUnit()(all), cpuPerUnit('a')(all), cpuPerUnit('none')(all)]).to.deep.equal([150, 50, 0]);
    const groups = mergeIntoGroups(
      [1, 2, 3, 4, 5, 6, 7, 8].map((ms) => block([ms, ms], [ms, ms * 2])),
      4,
    );
    expect(groups.map((each) => each['system']!.map(({ wallMs }) => wallMs))).to.deep.equal([
      [3, 6],
      [7, 14],
      [11, 22],
      [15, 30],
    ]);
  });

  it('measures the CPU time of this process and of another one', async () => {
    const { cpuUs, wallMs, units } = await measureSlice({ own: process.pid }, () => {
      burn(20);
      return Promise.resolve({ units: 7 });
    });
    expect(units).to.equal(7);
    // With two threads the elapsed time can be half the CPU time.
    expect(wallMs).to.be.greaterThan(9);
    expect(cpuUs['own']).to.be.within(20_000, wallMs * 2_000);
    expect(readPeakBytes(process.pid)).to.be.greaterThan(10 * 1024 ** 2);

    const worker = startWorker(
      new URL(import.meta.resolve('@popsvc/tools/bench').replace('index.js', 'baselines/json-echo.js')),
    );
    const port = await worker.request<number>({});
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"events":[1,2,3]}' });
    expect([answer.status, ((await answer.json()) as { eventCount: number }).eventCount]).to.deep.equal([202, 3]);
    // Node.js itself starts with some hundredths of a second of CPU time.
    expect(cpuUsOf(worker.pid)).to.be.within(10_000, 10_000_000);
    const before = cpuUsWithChildren(process.pid);
    expect(before).to.be.at.least(cpuUsOf(worker.pid));
    await worker.stop();
    await worker.stop();
    // The CPU time of exited children is included.
    expect(cpuUsWithChildren(process.pid)).to.be.at.least(before);
  });

  it('starts services on other cores than senders', async function () {
    if (cpus().length < 2) this.skip();
    const coresOf = () => /^Cpus_allowed_list:\s+(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    const all = coresOf();
    const closers: (() => Promise<unknown>)[] = [];
    const rig = { onClose: (close: () => Promise<unknown>) => void closers.push(close) };
    try {
      const service = await startOnOwnCores(rig, () => Promise.resolve(coresOf()));
      expect([service?.split(/[-,]/)[0], coresOf()]).to.deep.equal(['1', '0']);
    } finally {
      for (const close of closers) await close();
    }
    expect(coresOf()).to.equal(all);
  });

  it('creates each body with new ids', () => {
    const next = createBodies(3, 'b-');
    const ids = [next(), next()].flatMap((body) =>
      (JSON.parse(body.toString()) as { events: { eventId: string }[] }).events.map(({ eventId }) => eventId),
    );
    expect(new Set(ids).size).to.equal(6);
    expect(next().length).to.be.within(3 * 350, 3 * 450);
  });

  it('writes aligned Markdown tables', () => {
    expect(formatTable([['a', 'long head'], ['x|y']]).split('\n')).to.deep.equal([
      '| a    | long head |',
      '| ---- | --------- |',
      '| x\\|y |           |',
    ]);
  });

  it('refuses invalid sizes and names the option', () => {
    const options = { pairs: '4', n: '5000', rows: '20000', probes: '10' };
    expect(parseSizes(options)).to.deep.equal({ pairs: 4, events: 5_000, rows: 20_000, probes: 10 });
    expect(() => parseSizes({ ...options, pairs: '0' })).to.throw('--pairs');
    expect(() => parseSizes({ ...options, rows: 'many' })).to.throw('--rows');
  });
});
