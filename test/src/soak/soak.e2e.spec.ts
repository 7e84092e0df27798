import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { createRandom } from '@popsvc/tools/rig';
import {
  planFaults,
  processNames,
  classifyStatus,
  measureFlatness,
  describeGrowth,
  slope,
  createLedger,
  createProcessRuns,
  type Sample,
  startRepeating,
  parseSoakOptions,
  findProcesses,
  createVendor,
  createFaultWindow,
  createReportChecker,
  soakNetworks,
} from '@popsvc/tools/soak';

const [north, south] = [soakNetworks[0]!, soakNetworks[1]!];
const minuteMs = 60_000;
const mb = 2 ** 20;

describe('the soak test', () => {
  it('has options for minutes, seed and rate, and refuses invalid ones', () => {
    const options = { minutes: 3, seed: 7, rate: 100, kills: true };
    expect(parseSoakOptions(['--minutes', '3', '--seed', '7'])).to.deep.equal(options);
    expect(parseSoakOptions(['--minutes', '3', '--seed', '7', '--no-kills'])).to.deep.equal({
      ...options,
      kills: false,
    });
    for (const wrong of [['--minutes', '0'], ['--rate', 'much'], ['--minutes', ''], ['--hours', '1'], ['3']])
      expect(() => parseSoakOptions(wrong), wrong.join(' ')).to.throw();
  });

  it('plans kills of every process and of all at once, reproducible by seed, and none in the last quarter', () => {
    const planned = planFaults(5, 30);
    expect(planFaults(5, 30)).to.deep.equal(planned);
    expect(planFaults(6, 30)).to.not.deep.equal(planned);
    expect(new Set(planned.map(({ what }) => what))).to.deep.equal(new Set([...processNames, 'everything']));
    const gaps = planned.slice(1).map(({ atMs }, index) => atMs - planned[index]!.atMs);
    expect(Math.min(...gaps)).to.be.at.least(15_000);
    expect(planned.at(-1)!.atMs).to.be.within(0.7 * 30 * minuteMs, 0.75 * 30 * minuteMs);
    expect(planFaults(1, 3).map(({ what }) => what)).to.include('everything');
  });

  it('classifies a response as stored, as possibly stored or as refused', () => {
    expect(classifyStatus(202, 202, false)).to.equal('ok');
    for (const status of [0, 429, 500, 503])
      expect(classifyStatus(status, 202, false), String(status)).to.equal('unknown');
    expect(classifyStatus(409, 202, true)).to.equal('unknown');
    for (const status of [200, 400, 401, 409])
      expect(classifyStatus(status, 202, false), String(status)).to.equal('fail');
    expect(classifyStatus(400, 400, false)).to.equal('ok');
    expect(classifyStatus(202, 400, false)).to.equal('fail');
  });

  it('sends the same requests for the same seed, and only ids of its network', () => {
    const requests = (seed: number) => {
      const vendor = createVendor(north, createRandom(seed));
      return Array.from({ length: 50 }, () => vendor.createRequest(1_800_000_000_000));
    };
    expect(requests(3)).to.deep.equal(requests(3));
    const plays = requests(3).flatMap(({ plays: all }) => all);
    expect(new Set(plays.map(({ id }) => id)).size).to.be.lessThan(plays.length);
    expect(plays.filter(({ id }) => !id.startsWith(north.mark))).to.deep.equal([]);
  });

  it('lists the plays that a report of a time window must contain', () => {
    const ledger = createLedger();
    ledger.addPlays(north, [
      { id: 'n-1', playedAtMs: 10 * minuteMs },
      { id: 'n-2', playedAtMs: 10 * minuteMs + 1 },
      { id: 'n-3', playedAtMs: 11 * minuteMs },
    ]);
    ledger.acknowledge(north, ['n-1', 'n-3'], 500);
    ledger.acknowledge(north, ['n-1'], 900);
    expect(ledger.listDue(north, 10 * minuteMs, 11 * minuteMs, 501)).to.deep.equal(['n-1']);
    expect(ledger.listDue(north, 10 * minuteMs, 11 * minuteMs, 500)).to.deep.equal([]);
    expect(ledger.wasSent(south, 'n-1')).to.equal(false);
    expect(ledger.all(north)).to.deep.equal({ sent: 3, acknowledged: new Set(['n-1', 'n-3']) });
    expect(() => ledger.acknowledge(south, ['n-1'], 500)).to.throw('never sent');
  });

  it('detects duplicate, unknown, missing and disappeared rows, and decreasing counts', () => {
    const ledger = createLedger();
    const plays = ['a', 'b', 'c'].map((id) => ({ id, playedAtMs: 5 }));
    ledger.addPlays(north, plays);
    ledger.acknowledge(north, ['a', 'b'], 100);
    const checker = createReportChecker(ledger);
    const begin = () => {
      const check = checker.beginReport({ network: north, fromMs: 0, toMs: 10 });
      return (asOfMs: number, ...ids: readonly string[]) =>
        check({ asOfMs, rows: ids.map((id) => ({ id, watcher: '' })) }).join('; ');
    };
    const seen = (asOfMs: number, ...ids: readonly string[]) => begin()(asOfMs, ...ids);
    const slow = begin();
    expect(seen(50)).to.equal('');
    expect(seen(101, 'a', 'b', 'c')).to.equal('');
    // It began when no report had contained c.
    expect(slow(101, 'a', 'b')).to.equal('');
    expect(seen(101, 'a', 'b', 'c', 'c')).to.match(/1 of 4 rows are duplicates/);
    expect(seen(101, 'a', 'b', 'c', 'z')).to.match(/1 \(z\) were never sent/);
    expect(seen(101, 'a', 'c', 'z')).to.match(/1 \(b\) are missing .*1 \(b\) of 4 have disappeared/);
    const rows = ['', '7'].map((watcher) => ({ id: 'c', watcher }));
    expect(checker.beginReport({ network: north, fromMs: 20, toMs: 30 })({ asOfMs: 0, rows })).to.deep.equal([
      '1 (c) have rows with and without a person',
    ]);
    expect([
      checker.checkNotDecreasing('rows', 5),
      checker.checkNotDecreasing('rows', 5),
      checker.checkNotDecreasing('others', 1),
    ]).to.deep.equal([[], [], []]);
    expect(checker.checkNotDecreasing('rows', 4)).to.deep.equal(['rows: 4 after 5']);
  });

  it('expects failures from a kill until 15 s after the recovery', async () => {
    let nowMs = 0;
    const { isOpen, wasOpenSince, openDuring } = createFaultWindow(() => nowMs);
    expect(isOpen()).to.equal(false);
    await openDuring(() => {
      nowMs = 1_000;
      expect(isOpen()).to.equal(true);
      return Promise.resolve();
    });
    nowMs = 15_999;
    expect(isOpen()).to.equal(true);
    nowMs = 20_000;
    expect([isOpen(), wasOpenSince(15_500), wasOpenSince(16_000)]).to.deep.equal([false, true, false]);
  });

  it('waits for active runs of a repeated task, and fails with their error', async () => {
    let done = 0;
    const task = startRepeating(
      () => ({ pauseMs: 1, done: new Promise((resolve) => setTimeout(resolve, 5)).then(() => (done += 1)) }),
      3,
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    await task.stop();
    const before = done;
    expect(before).to.be.greaterThan(1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(done).to.equal(before);
    const failing = startRepeating(() => ({ pauseMs: 1, done: Promise.reject(new Error('no')) }));
    expect(await failing.stop().catch(String)).to.include('no');
  });
});

describe('the resource use of processes', () => {
  const run = (of: (minute: number) => Partial<Sample>, minutes = 10) => ({
    part: 'worker' as const,
    samples: Array.from({ length: minutes * 12 }, (_, index) => ({
      atMs: index * 5_000,
      bytes: 100 * mb,
      handles: 30,
      threads: 11,
      ...of(index / 12),
    })),
  });
  const growthOf = (of: (minute: number) => Partial<Sample>) => describeGrowth(measureFlatness(run(of))!);

  it('has the slope of the least squares line', () => {
    expect(
      slope([
        [0, 1],
        [1, 3],
        [2, 5],
      ]),
    ).to.equal(2);
    expect(
      slope([
        [0, 4],
        [1, 4],
      ]),
    ).to.equal(0);
    expect(slope([[0, 4]])).to.be.NaN;
  });

  it('is flat if it settles, despite the warm-up and single peaks', () => {
    expect(growthOf(() => ({}))).to.deep.equal([]);
    expect(growthOf((minute) => (minute < 2 ? { bytes: 10 * mb * minute, handles: 5 } : {}))).to.deep.equal([]);
    expect(
      growthOf((minute) => (Math.round(minute * 12) % 9 === 0 ? { bytes: 400 * mb, handles: 90 } : {})),
    ).to.deep.equal([]);
    const { bytes, minutes } = measureFlatness(run((minute) => ({ bytes: (100 + minute) * mb })))!;
    expect(bytes.perHour / mb).to.be.closeTo(60, 0.1);
    expect(minutes).to.be.closeTo(7.9, 0.1);
  });

  it('is not flat if memory, handles or threads keep growing', () => {
    expect(growthOf((minute) => ({ bytes: (100 + 12 * minute) * mb }))).to.deep.equal(['worker: MB from 140 to 204']);
    expect(growthOf((minute) => ({ handles: 30 + Math.floor(8 * minute) }))).to.have.length(1);
    expect(growthOf((minute) => ({ threads: 11 + Math.floor(minute) }))).to.have.length(1);
  });

  it('is not evaluated for a run that is too short', () => {
    expect(measureFlatness({ part: 'worker', samples: run(() => ({})).samples.slice(0, 8) })).to.equal(undefined);
  });

  it('is evaluated for the longest run of each process', () => {
    const runs = createProcessRuns();
    const use = { part: 'worker' as const, bytes: 5, handles: 1, threads: 1, processes: 1 };
    for (const atMs of [0, 1, 2]) runs.add(atMs, [{ ...use, pid: 1 }]);
    for (const atMs of [3, 4, 5, 6]) runs.add(atMs, [{ ...use, pid: 2, bytes: atMs }]);
    expect(runs.longest()).to.have.length(1);
    expect(runs.longest()[0]!.samples.map(({ atMs }) => atMs)).to.deep.equal([3, 4, 5, 6]);
    expect([runs.counts.get('worker'), runs.maxBytes.get('worker')]).to.deep.equal([2, 6]);
  });

  it('is empty for a process without child processes and for a process that does not exist', () => {
    const child = spawn('sleep', ['60']);
    expect([child.pid!, 2 ** 22 + 1].map((pid) => findProcesses(pid).size)).to.deep.equal([0, 0]);
    child.kill();
  });
});
