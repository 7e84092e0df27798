import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '@popsvc/domain/bulk';
import { createNatsPublisher } from '@popsvc/platform/message-bus';
import { expect } from 'chai';
import { startTestCollector } from '../support/collector.ts';
import { startFaultProxy } from '../faults/fault-proxy.fixture.ts';
import { hasNats, startTestNats, natsProgram, type TestNats } from '../support/engines.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { sendingTo } from '../tracing/tracing.fixture.ts';
import { flatRow, ndjsonOf, workshop, type Workshop } from './worker.fixture.ts';
import { startWorker, type WorkerProcess } from './worker-process.fixture.ts';

const rows = 2_000;
/** Delay of each append, so that a job still runs when NATS is killed. */
const slowly = { there: { bytesPerSecond: 1_000_000 } };
const file = ndjsonOf(Array.from({ length: rows }, (_, at) => flatRow(at + 1)));

describeIfInstalled(natsProgram, hasNats, 'a bulk worker with NATS', () => {
  let shop: Workshop;
  let server: TestNats;
  let worker: WorkerProcess;
  before(async () => {
    [shop, server] = [await workshop(), await startTestNats()];
    const way = await startFaultProxy(shop.node.url);
    way.disturb(slowly);
    worker = await startWorker(shop, { NATS_URL: server.url, EVENTSTORE_URL: way.url });
  });
  after(async () => {
    await worker.stop();
    await server.stop();
    await shop.close();
  });

  const expectCompleted = async (jobId: string, timeoutMs: number) => {
    const job = await waitUntil(() => shop.job(jobId), hasEnded, timeoutMs, 200);
    expect([job.status, job.processedRows]).to.deep.equal(['completed', rows]);
    expect((await shop.rows(jobId)).map(([row]) => row)).to.deep.equal(Array.from({ length: rows }, (_, at) => at + 1));
  };

  it('receives a job from NATS at once', async () => {
    const jobId = await shop.queue('ndjson', file);
    const feed = createNatsPublisher({ url: server.url, name: 'test' });
    const [to, queued] = [await startTestCollector(), await shop.events(`bulkJob-${jobId}`)];
    await sendingTo(to, () => feed.publish(queued));
    await expectCompleted(jobId, 20_000);
    await Promise.all([feed.close(), to.stop()]);
    const publish = to.spans().find(({ name }) => name === 'publish popsvc.events');
    expect(publish).to.deep.include({ kind: 4, parentSpanId: '' });
    expect(publish!.attributes['messaging.batch.message_count']).to.equal(queued.length);
  });

  it('runs a job that NATS lost or never delivered', async function () {
    const [begun, untold] = [await shop.queue('ndjson', file), await shop.queue('ndjson', file)];
    const feed = createNatsPublisher({ url: server.url, name: 'test' });
    await feed.publish(await shop.events(`bulkJob-${begun}`));
    await waitUntil(
      () => shop.job(begun),
      ({ status }) => status === 'processing',
    );
    await server.kill9();
    await server.wipe();
    await sleep(1_000);
    await server.start();
    await feed.close();
    await expectCompleted(begun, 60_000);
    await expectCompleted(untold, 60_000);
  });
});
