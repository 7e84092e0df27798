import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { chance } from '@popsvc/tools/rig';
import {
  chooseFaults,
  parts,
  outcomeOf,
  flatnessOf,
  notFlat,
  slopeOf,
  openLedger,
  openLives,
  type Sample,
  again,
  soakWish,
  partsOf,
  vendorOf,
  openWeather,
  openWitness,
  networks,
} from '@popsvc/tools/soak';

const [north, south] = [networks[0]!, networks[1]!];
const minuteMs = 60_000;
const mb = 2 ** 20;

describe('the soak', () => {
  it('is asked for by minutes, seed and rate', () => {
    expect(soakWish(['--minutes', '3', '--seed', '7'])).to.deep.equal({ minutes: 3, seed: 7, rate: 100 });
    for (const wrong of [['--minutes', '0'], ['--rate', 'much'], ['--minutes', ''], ['--hours', '1'], ['3']])
      expect(() => soakWish(wrong), wrong.join(' ')).to.throw();
  });

  it('kills every part and everything at once, the same for the same seed, and nothing in the last quarter', () => {
    const planned = chooseFaults(5, 30);
    expect(chooseFaults(5, 30)).to.deep.equal(planned);
    expect(chooseFaults(6, 30)).to.not.deep.equal(planned);
    expect(new Set(planned.map(({ what }) => what))).to.deep.equal(new Set([...parts, 'everything']));
    const gaps = planned.slice(1).map(({ atMs }, index) => atMs - planned[index]!.atMs);
    expect(Math.min(...gaps)).to.be.at.least(15_000);
    expect(planned.at(-1)!.atMs).to.be.within(0.7 * 30 * minuteMs, 0.75 * 30 * minuteMs);
    expect(chooseFaults(1, 3).map(({ what }) => what)).to.include('everything');
  });

  it('tells what is stored from what may be and from what is refused', () => {
    expect(outcomeOf(202, 202, false)).to.equal('ok');
    for (const status of [0, 429, 500, 503]) expect(outcomeOf(status, 202, false), String(status)).to.equal('unknown');
    expect(outcomeOf(409, 202, true)).to.equal('unknown');
    for (const status of [200, 400, 401, 409]) expect(outcomeOf(status, 202, false), String(status)).to.equal('fail');
    expect(outcomeOf(400, 400, false)).to.equal('ok');
    expect(outcomeOf(202, 400, false)).to.equal('fail');
  });

  it('tells the same things by the same chance, and of each network its own', () => {
    const told = (seed: number) => {
      const vendor = vendorOf(north, chance(seed));
      return Array.from({ length: 50 }, () => vendor.next(1_800_000_000_000));
    };
    expect(told(3)).to.deep.equal(told(3));
    const plays = told(3).flatMap(({ plays: all }) => all);
    expect(new Set(plays.map(({ id }) => id)).size).to.be.lessThan(plays.length);
    expect(plays.filter(({ id }) => !id.startsWith(north.mark))).to.deep.equal([]);
  });

  it('knows what must be in a window, what may be, and what may not', () => {
    const ledger = openLedger();
    ledger.sends(north, [
      { id: 'n-1', playedAtMs: 10 * minuteMs },
      { id: 'n-2', playedAtMs: 10 * minuteMs + 1 },
      { id: 'n-3', playedAtMs: 11 * minuteMs },
    ]);
    ledger.acknowledged(north, ['n-1', 'n-3'], 500);
    ledger.acknowledged(north, ['n-1'], 900);
    expect(ledger.due(north, 10 * minuteMs, 11 * minuteMs, 501)).to.deep.equal(['n-1']);
    expect(ledger.due(north, 10 * minuteMs, 11 * minuteMs, 500)).to.deep.equal([]);
    expect(ledger.wasSent(south, 'n-1')).to.equal(false);
    expect(ledger.all(north)).to.deep.equal({ sent: 3, acknowledged: new Set(['n-1', 'n-3']) });
    expect(() => ledger.acknowledged(south, ['n-1'], 500)).to.throw('never sent');
  });

  it('notices rows that come twice, are strange, missing or gone, and counts that go back', () => {
    const ledger = openLedger();
    const plays = ['a', 'b', 'c'].map((id) => ({ id, playedAtMs: 5 }));
    ledger.sends(north, plays);
    ledger.acknowledged(north, ['a', 'b'], 100);
    const witness = openWitness(ledger);
    const seen = (asOfMs: number, ...ids: readonly string[]) =>
      witness
        .judge({ network: north, fromMs: 0, toMs: 10, asOfMs, rows: ids.map((id) => ({ id, watcher: '' })) })
        .join('; ');
    expect(seen(50)).to.equal('');
    expect(seen(101, 'a', 'b', 'c')).to.equal('');
    expect(seen(101, 'a', 'b', 'c', 'c')).to.match(/1 of 4 rows came twice/);
    expect(seen(101, 'a', 'b', 'c', 'z')).to.match(/1 \(z\) were never sent/);
    expect(seen(101, 'a', 'c', 'z')).to.match(/1 \(b\) are missing .*1 \(b\) of 4 are not there any more/);
    const rows = ['', '7'].map((watcher) => ({ id: 'c', watcher }));
    expect(witness.judge({ network: north, fromMs: 20, toMs: 30, asOfMs: 0, rows })).to.deep.equal([
      '1 (c) were seen by somebody and by nobody',
    ]);
    expect([witness.count('rows', 5), witness.count('rows', 5), witness.count('others', 1)]).to.deep.equal([
      [],
      [],
      [],
    ]);
    expect(witness.count('rows', 4)).to.deep.equal(['rows: 4 after 5']);
  });

  it('excuses who is turned away from a kill until a while after it', async () => {
    let nowMs = 0;
    const { isRough, wasRoughSince, roughly } = openWeather(() => nowMs);
    expect(isRough()).to.equal(false);
    await roughly(() => {
      nowMs = 1_000;
      expect(isRough()).to.equal(true);
      return Promise.resolve();
    });
    nowMs = 15_999;
    expect(isRough()).to.equal(true);
    nowMs = 20_000;
    expect([isRough(), wasRoughSince(15_500), wasRoughSince(16_000)]).to.deep.equal([false, true, false]);
  });

  it('waits for what is under way, and fails with it', async () => {
    let done = 0;
    const doing = again(
      () => ({ pauseMs: 1, done: new Promise((resolve) => setTimeout(resolve, 5)).then(() => (done += 1)) }),
      3,
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    await doing.stop();
    const before = done;
    expect(before).to.be.greaterThan(1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(done).to.equal(before);
    const failing = again(() => ({ pauseMs: 1, done: Promise.reject(new Error('no')) }));
    expect(await failing.stop().catch(String)).to.include('no');
  });
});

describe('what processes hold', () => {
  const life = (of: (minute: number) => Partial<Sample>, minutes = 10) => ({
    part: 'worker' as const,
    samples: Array.from({ length: minutes * 12 }, (_, index) => ({
      atMs: index * 5_000,
      bytes: 100 * mb,
      handles: 30,
      threads: 11,
      ...of(index / 12),
    })),
  });
  const wrongWith = (of: (minute: number) => Partial<Sample>) => notFlat(flatnessOf(life(of))!);

  it('has a slope', () => {
    expect(
      slopeOf([
        [0, 1],
        [1, 3],
        [2, 5],
      ]),
    ).to.equal(2);
    expect(
      slopeOf([
        [0, 4],
        [1, 4],
      ]),
    ).to.equal(0);
    expect(slopeOf([[0, 4]])).to.be.NaN;
  });

  it('is flat where it settles, whatever it did at first and now and then', () => {
    expect(wrongWith(() => ({}))).to.deep.equal([]);
    expect(wrongWith((minute) => (minute < 2 ? { bytes: 10 * mb * minute, handles: 5 } : {}))).to.deep.equal([]);
    expect(
      wrongWith((minute) => (Math.round(minute * 12) % 9 === 0 ? { bytes: 400 * mb, handles: 90 } : {})),
    ).to.deep.equal([]);
    const { bytes, minutes } = flatnessOf(life((minute) => ({ bytes: (100 + minute) * mb })))!;
    expect(bytes.perHour / mb).to.be.closeTo(60, 0.1);
    expect(minutes).to.be.closeTo(7.9, 0.1);
  });

  it('is not flat where memory, handles or threads become more and more', () => {
    expect(wrongWith((minute) => ({ bytes: (100 + 12 * minute) * mb }))).to.deep.equal(['worker: MB from 140 to 204']);
    expect(wrongWith((minute) => ({ handles: 30 + Math.floor(8 * minute) }))).to.have.length(1);
    expect(wrongWith((minute) => ({ threads: 11 + Math.floor(minute) }))).to.have.length(1);
  });

  it('is not judged by a life that is too short', () => {
    expect(flatnessOf({ part: 'worker', samples: life(() => ({})).samples.slice(0, 8) })).to.equal(undefined);
  });

  it('is that of the longest life of each part', () => {
    const lives = openLives();
    const held = { part: 'worker' as const, bytes: 5, handles: 1, threads: 1, processes: 1 };
    for (const atMs of [0, 1, 2]) lives.note(atMs, [{ ...held, pid: 1 }]);
    for (const atMs of [3, 4, 5, 6]) lives.note(atMs, [{ ...held, pid: 2, bytes: atMs }]);
    expect(lives.longest()).to.have.length(1);
    expect(lives.longest()[0]!.samples.map(({ atMs }) => atMs)).to.deep.equal([3, 4, 5, 6]);
    expect([lives.counts.get('worker'), lives.most.get('worker')]).to.deep.equal([2, 6]);
  });

  it('is not asked of who has no parts, or is not there', () => {
    const child = spawn('sleep', ['60']);
    expect([child.pid!, 2 ** 22 + 1].map((pid) => partsOf(pid).size)).to.deep.equal([0, 0]);
    child.kill();
  });
});
