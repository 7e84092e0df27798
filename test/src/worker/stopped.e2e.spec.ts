import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '@popsvc/domain/bulk';
import { openPostgres, registerProjection } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { startFaultProxy } from '../faults/fault-proxy.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { flatRow, ndjsonOf, workshop, type Workshop } from './worker.fixture.ts';
import { startWorker } from './worker-process.fixture.ts';

const rows = 6_000;
/** Delay of each append, so that the job still runs when it is stopped. */
const slowly = { there: { bytesPerSecond: 200_000 } };
const file = ndjsonOf(Array.from({ length: rows }, (_, at) => flatRow(at + 1)));

describe('a bulk worker that is stopped', () => {
  let shop: Workshop;
  before(async () => {
    shop = await workshop();
  });
  after(() => shop.close());

  it('finishes appends in flight, records its progress, and releases the job at once', async () => {
    const way = await startFaultProxy(shop.node.url);
    way.disturb(slowly);
    const first = await startWorker(shop, { EVENTSTORE_URL: way.url });
    const jobId = await shop.queue('ndjson', file);
    await waitUntil(
      () => shop.job(jobId),
      ({ toRow }) => toRow > 0,
    );
    const requestedAt = performance.now();
    await first.stop();
    expect(performance.now() - requestedAt).to.be.lessThan(20_000);
    const { status, toRow } = await shop.job(jobId);
    expect(status).to.equal('processing');
    // Every stored row is recorded in the job's progress.
    expect(await shop.rows(jobId)).to.have.length(toRow);

    const second = await startWorker(shop);
    const beganAt = performance.now();
    await waitUntil(
      () => shop.job(jobId),
      ({ attempt }) => attempt === 2,
    );
    // Less than the 15 s after which a job that was not released is taken over.
    expect(performance.now() - beganAt).to.be.lessThan(12_000);
    const job = await waitUntil(() => shop.job(jobId), hasEnded, 30_000);
    expect([job.status, job.processedRows]).to.deep.equal(['completed', rows]);
    expect((await shop.rows(jobId)).map(([row]) => row)).to.deep.equal(Array.from({ length: rows }, (_, at) => at + 1));
    await second.stop();
  });

  it('stops while it waits for the projection, with its progress recorded', async () => {
    const log = createLog('test', 'silent');
    const postgres = openPostgres({ url: shop.databaseUrl, log, name: 'test' });
    await registerProjection(postgres, 'coffee', 1);
    // A projection that is far behind and moves.
    await postgres.query(
      `INSERT INTO checkpoints (projection, generation, position, log_id) VALUES ('coffee', 1, 0, '')`,
    );
    const project = () => postgres.query(`UPDATE checkpoints SET position = position + 1 WHERE projection = 'coffee'`);
    const projecting = setInterval(() => void project().catch(() => undefined), 500);
    const longFile = ndjsonOf(Array.from({ length: 60_000 }, (_, at) => flatRow(at + 1)));
    const worker = await startWorker(shop);
    const jobId = await shop.queue('ndjson', longFile);
    await waitUntil(
      () => shop.rows(jobId),
      ({ length }) => length >= 12_000,
      60_000,
    );
    // The worker would append the rest meanwhile.
    await sleep(2_000);
    await worker.stop();
    clearInterval(projecting);
    const { status, toRow } = await shop.job(jobId);
    expect(status).to.equal('processing');
    expect(toRow).to.be.lessThan(30_000);
    expect(await shop.rows(jobId)).to.have.length(toRow);
    await postgres.end();
  });
});
