import { setTimeout as sleep } from 'node:timers/promises';
import { bulkJobStream } from '@popsvc/contracts/events';
import { hasEnded } from '@popsvc/domain/bulk';
import { expect } from 'chai';
import { startFaultProxy } from '../faults/fault-proxy.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { chooseRounds, createFractions } from '../support/rounds.ts';
import { startWorker, type WorkerProcess } from './worker-process.fixture.ts';
import { flatMapping, flatRow, workshop, type Workshop } from './worker.fixture.ts';

const long = process.env['POPSVC_LONG'] === '1';
const rounds = chooseRounds(2, 50);
const rows = long ? 20_000 : 3_000;
/** Slightly less than an undisturbed job takes, so that kills fall into all phases. */
const jobMs = long ? 2_000 : 1_200;
/** Delay of each append, so that the job takes as long on fast machines. */
const jobBytesPerSecond = long ? Infinity : 400_000;
/** Delay of each append with which a job still runs when the signal arrives. */
const slowBytesPerSecond = long ? 80_000 : 40_000;

const unreadable = (row: number) => row % 1_000 === 13;
const unmapped = (row: number) => row % 1_000 === 500;
const play = (row: number) => flatRow(row, unmapped(row) ? { start: 'never' } : {});
const numbered = (rows: number) => Array.from({ length: rows }, (_, at) => at + 1);
const fileOf = (rows: number) =>
  numbered(rows)
    .map((row) => (unreadable(row) ? '{"id":\n' : `${JSON.stringify(play(row))}\n`))
    .join('');
const file = fileOf(rows);

/** Rows of the jobs that are observed while they run. */
const manyRows = long ? 50_000 : 3_000;

describe(`a bulk worker killed during a job, ${rounds} rounds`, function () {
  this.timeout(long ? 3_600_000 : 240_000);
  let shop: Workshop;
  const shops: Workshop[] = [];
  const running = new Set<WorkerProcess>();
  const start = async (at: Workshop, env?: Readonly<Record<string, string>>) => {
    const worker = await startWorker(at, env);
    running.add(worker);
    return worker;
  };
  const newShop = async () => {
    const made = await workshop();
    shops.push(made);
    await made.registerMapping(flatMapping);
    return made;
  };
  const slowLog = async (at: Workshop, bytesPerSecond: number) => {
    const way = await startFaultProxy(at.node.url);
    if (bytesPerSecond < Infinity) way.disturb({ there: { bytesPerSecond } });
    return way;
  };
  let [followed, fenced]: Promise<void>[] = [];
  before(async () => {
    // These mostly wait for a lease to expire, so they run concurrently, each on its own event store.
    [followed, fenced] = [isFollowed(), isFenced()];
    for (const one of [followed, fenced]) one.catch(() => undefined);
    shop = await newShop();
  });
  after(async () => {
    await Promise.allSettled([followed, fenced]);
    for (const worker of running) await worker.stop();
    for (const one of shops) await one.close();
  });

  const ended = async (shop: Workshop, jobId: string, timeoutMs: number, totalled = rows) => {
    await waitUntil(() => shop.job(jobId), hasEnded, timeoutMs, 200);
    const jobEvents = await shop.events(bulkJobStream(jobId));
    const { status, totalRows, processedRows, errorRows, errors, attempt } = await shop.job(jobId);
    const bad = numbered(totalled).filter((row) => unreadable(row) || unmapped(row));
    expect([status, totalRows, processedRows, errorRows]).to.deep.equal([
      'partially_completed',
      totalled,
      totalled - bad.length,
      bad.length,
    ]);
    expect(errors.map(({ row }) => row)).to.deep.equal(bad);
    expect(jobEvents.filter(({ type }) => /Completed|Failed/.test(type))).to.have.length(1);
    const good = numbered(totalled).filter((row) => !unreadable(row));
    const stored = await shop.rows(jobId);
    expect(stored.map(([row]) => row)).to.deep.equal(good);
    expect(stored.map(([, event]) => JSON.stringify(event))).to.deep.equal(
      good.map((row) => JSON.stringify(play(row))),
    );
    return attempt;
  };

  it('is followed by another one, and every row is stored once, in order', async () => {
    const next = createFractions(5_030);
    const attempts: number[] = [];
    const way = await slowLog(shop, jobBytesPerSecond);
    // The same owner name each time, so that leases are taken over at once.
    const startMortal = () => start(shop, { POPSVC_INSTANCE: 'mortal', EVENTSTORE_URL: way.url });
    let worker = await startMortal();
    for (let round = 1; round <= rounds; round += 1) {
      const jobId = await shop.queue('ndjson', file);
      const kills = long ? 1 + Math.floor(next() * 2) : 1;
      let attempt = 0;
      for (let kill = 0; kill < kills; kill += 1) {
        // Sometimes before the job starts, mostly while it runs.
        if (next() < 0.85)
          ({ attempt } = await waitUntil(
            () => shop.job(jobId),
            (job) => job.attempt > attempt || hasEnded(job),
            60_000,
          ));
        await sleep(next() * jobMs);
        await worker.kill9();
        running.delete(worker);
        worker = await startMortal();
      }
      attempts.push(await ended(shop, jobId, 60_000));
    }
    process.stdout.write(`      attempts a job: ${attempts.join(' ')}\n`);
    expect(Math.max(...attempts)).to.be.greaterThan(1);
  });

  const isFollowed = async () => {
    const shop = await newShop();
    const slow = await slowLog(shop, slowBytesPerSecond);
    const mortal = await start(shop, { EVENTSTORE_URL: slow.url });
    const jobId = await shop.queue('ndjson', fileOf(manyRows));
    const job = await waitUntil(
      () => shop.job(jobId),
      ({ toRow }) => toRow > 0,
    );
    const heir = await start(shop);
    await mortal.kill9();
    running.delete(mortal);
    const killedAt = performance.now();
    await waitUntil(
      () => shop.job(jobId),
      ({ attempt }) => attempt > job.attempt,
      60_000,
    );
    const seconds = (performance.now() - killedAt) / 1_000;
    process.stdout.write(`      followed after ${seconds.toFixed(1)} s\n`);
    if (long) expect(seconds).to.be.lessThan(20);
    expect(await ended(shop, jobId, 60_000, manyRows)).to.equal(2);
    await heir.stop();
    running.delete(heir);
  };
  it('is followed by a waiting worker with another name', () => followed);

  const isFenced = async () => {
    // Longer than the lease.
    const sleepMs = long ? 60_000 : 17_000;
    const shop = await newShop();
    const slow = await slowLog(shop, slowBytesPerSecond);
    const sleeper = await start(shop, { EVENTSTORE_URL: slow.url });
    const jobId = await shop.queue('ndjson', fileOf(manyRows));
    await waitUntil(
      () => shop.job(jobId),
      ({ toRow }) => toRow > 0,
    );
    sleeper.signal('SIGSTOP');
    const stoppedAt = performance.now();
    const heir = await start(shop);
    const attempt = await ended(shop, jobId, 60_000, manyRows);
    expect(attempt).to.equal(2);
    await sleep(Math.max(0, sleepMs - (performance.now() - stoppedAt)));
    const before = await shop.events(bulkJobStream(jobId));
    slow.heal();
    sleeper.signal('SIGCONT');
    await sleep(3_000);
    expect(await shop.events(bulkJobStream(jobId))).to.deep.equal(before);
    expect(await ended(shop, jobId, 1_000, manyRows)).to.equal(2);
    // The fenced worker is healthy and runs other jobs.
    await heir.stop();
    running.delete(heir);
    const another = await shop.queue('ndjson', file);
    expect(await ended(shop, another, 60_000)).to.equal(1);
  };
  it('that was only paused is fenced off and stores nothing', () => fenced);
});
