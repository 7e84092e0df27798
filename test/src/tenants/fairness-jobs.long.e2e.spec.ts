import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '@popsvc/domain/bulk';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { flatRow, ndjsonOf, workshop, type Workshop } from '../worker/worker.fixture.ts';
import { startWorker, type WorkerProcess } from '../worker/worker-process.fixture.ts';

const long = process.env['POPSVC_LONG'] === '1';
/** Files of network 1: large ones, and many small ones. */
const largeFiles = long ? { count: 8, rows: 1_200_000 } : { count: 4, rows: 120_000 };
const smallFiles = long ? 400 : 40;
const otherTenants = long ? 10 : 2;
const maxJobMs = 5_000;

/** Repeats one block of rows, so that a large file takes no time to make. */
async function* repeatedRows(count: number): AsyncGenerator<Uint8Array> {
  const block = Buffer.from(ndjsonOf(Array.from({ length: 1_000 }, (_, at) => flatRow(at + 1))));
  for (let rows = 0; rows < count; rows += 1_000) yield await Promise.resolve(block);
}

describe('fairness: bulk jobs', function () {
  this.timeout(600_000);
  let shop: Workshop;
  const workers: WorkerProcess[] = [];
  before(async () => {
    shop = await workshop();
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.kill9()));
    await shop.close();
  });

  /** Time in ms until a new job of one row has ended. */
  const timeOneRow = async (network: number): Promise<number> => {
    const startedAt = performance.now();
    const jobId = await shop.queue('ndjson', ndjsonOf([flatRow(1)]), { network });
    const { status } = await waitUntil(() => shop.job(jobId), hasEnded, 120_000);
    expect(status).to.equal('completed');
    return performance.now() - startedAt;
  };

  it(`of one row end before the files of another tenant, with one worker and with two`, async () => {
    workers.push(await startWorker(shop));
    const quietMs = await timeOneRow(2);
    const large = await Promise.all(
      Array.from({ length: largeFiles.count }, () => shop.queue('ndjson', repeatedRows(largeFiles.rows))),
    );
    for (let index = 0; index < smallFiles; index++) await shop.queue('ndjson', ndjsonOf([flatRow(1), flatRow(2)]));
    await waitUntil(
      () => Promise.all(large.map((jobId) => shop.job(jobId))),
      (jobs) => jobs.some(({ toRow }) => toRow > 0),
      60_000,
    );
    const times: number[] = [];
    for (let tenant = 0; tenant < otherTenants; tenant++) {
      if (tenant === otherTenants / 2) workers.push(await startWorker(shop));
      times.push(await timeOneRow(3 + tenant));
      await sleep(200);
    }
    const jobs = await Promise.all(large.map((jobId) => shop.job(jobId)));
    process.stdout.write(
      `      a job of one row: quiet ${quietMs.toFixed(0)} ms, behind ${largeFiles.count} files of ${largeFiles.rows} rows ` +
        `${times.map((ms) => ms.toFixed(0)).join(', ')} ms\n`,
    );
    expect(
      jobs.some((job) => !hasEnded(job)),
      'large files still wait',
    ).to.equal(true);
    if (long) expect(Math.max(...times)).to.be.at.most(maxJobMs);
  });
});
