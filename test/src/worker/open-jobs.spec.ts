import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWorker, createWorkerMetrics, type Worker } from '@popsvc/command-api/worker';
import { bulkJobStream, ProbeEmitted, probeStream } from '@popsvc/contracts/events';
import { hasEnded } from '@popsvc/domain/bulk';
import { emptyRegistry } from '@popsvc/domain/registry';
import {
  claimJob,
  createCheckpointStore,
  type JobClaim,
  readProjectedPositions,
  storeOpenJobs,
} from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { flatRow, ndjsonOf, workshop, type Workshop } from './worker.fixture.ts';

const log = createLog('test', 'silent');
const anyJob = { minBytes: 0, maxBytes: Number.MAX_SAFE_INTEGER, total: 100, perNetwork: 100 };

describe('claims of open bulk jobs', () => {
  let shop: Workshop;
  before(async () => {
    shop = await workshop();
  });
  beforeEach(() => shop.postgres.query('DELETE FROM open_jobs'));
  after(() => shop.close());

  /** Stores jobs `[id, network, size]`. */
  const store = (...jobs: readonly (readonly [string, number, number?])[]) =>
    storeOpenJobs(
      shop.postgres,
      jobs.map(([jobId, network, sizeBytes = 10], at) => ({ jobId, network, sizeBytes, position: BigInt(at) })),
      [],
    );
  const claim = (owner: string, given: Partial<JobClaim> = {}) =>
    claimJob(shop.postgres, { owner, jobClass: anyJob, running: [], served: [], ...given });
  const expire = (jobId: string) =>
    shop.postgres.query('UPDATE open_jobs SET due_at = now() WHERE job_id = $1', [jobId]);

  it('give each job to one worker', async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    await store(...ids.map((id) => [id, 1] as const));
    const claimed = new Map<string, string>();
    const claimAll = async (owner: string) => {
      for (let failures = 0; failures < 50;) {
        const running = [...claimed].flatMap(([jobId, by]) =>
          by === owner ? [{ jobId, network: 1, sizeBytes: 10 }] : [],
        );
        const job = await claim(owner, { running });
        if (!job) {
          failures += 1;
          continue;
        }
        expect(claimed.has(job.jobId)).to.equal(false);
        claimed.set(job.jobId, owner);
        await job.remove();
      }
    };
    await Promise.all(['one', 'two', 'three'].map(claimAll));
    expect([...claimed.keys()]).to.have.members(ids);
  });

  it('serve the network with the fewest running jobs, then the one that was served longest ago', async () => {
    await store(['a1', 1], ['a2', 1], ['a3', 1], ['a4', 1], ['b1', 2], ['b2', 2], ['c1', 3]);
    const serve = async (given: Partial<JobClaim>) => {
      const job = (await claim('one', given))!;
      await job.remove();
      return job;
    };
    const served: number[] = [];
    const order: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const { jobId, network } = await serve({ served });
      order.push(jobId);
      served.splice(0, served.length, ...served.filter((each) => each !== network), network);
    }
    expect(order).to.deep.equal(['a1', 'b1', 'c1', 'a2']);
    const running = [{ jobId: 'other', network: 2, sizeBytes: 10 }];
    expect((await serve({ running, served: [2, 1] })).jobId).to.equal('a3');
  });

  it('respect the limits of a class and of each network in it', async () => {
    await store(['large', 1, 1_000], ['a', 1], ['b', 2]);
    const jobClass = { minBytes: 0, maxBytes: 100, total: 2, perNetwork: 1 };
    const ofNetwork = (network: number, sizeBytes = 10) => ({ jobId: randomUUID(), network, sizeBytes });
    const first = await claim('one', { jobClass });
    expect(first).to.include({ jobId: 'a', network: 1, sizeBytes: 10, claims: 1 });
    const second = await claim('one', { jobClass, running: [ofNetwork(1, 1_000), first!] });
    expect(second?.jobId).to.equal('b');
    await second!.release(0);
    expect(await claim('one', { jobClass, running: [first!, ofNetwork(2)] })).to.equal(undefined);
    expect(await claim('one', { jobClass, running: [first!, ofNetwork(3)] })).to.equal(undefined);
    await first!.remove();
  });

  it('pass to another worker when they expire, and cannot be renewed or released after that', async () => {
    await store(['job', 1]);
    const former = await claim('one');
    expect(await claim('two')).to.equal(undefined);
    await expire('job');
    const next = await claim('two');
    expect(next?.claims).to.equal(2);
    await former!.release(0);
    expect(await claim('three')).to.equal(undefined);
    expect(next!.isHeld()).to.equal(true);
    await next!.release(0);
  });

  it('pass at once to a worker that has restarted under its name, unless it runs the job', async () => {
    await store(['job', 1]);
    const job = (await claim('one'))!;
    await expire('job');
    expect(await claim('one', { running: [job] })).to.equal(undefined);
    expect((await claim('one'))?.claims).to.equal(2);
    await (await claim('one'))!.remove();
  });

  it('are not given before the delay of a released job has passed, to any worker', async () => {
    await store(['job', 1]);
    const releasedAt = performance.now();
    await (await claim('one'))!.release(700);
    expect(await claim('one')).to.equal(undefined);
    const next = await waitUntil(() => claim('two'), Boolean);
    expect(performance.now() - releasedAt).to.be.at.least(650);
    await next!.remove();
  });
});

describe('a bulk worker that follows the log', () => {
  let shop: Workshop;
  const workers: Worker[] = [];
  before(async () => {
    shop = await workshop();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });
  after(() => shop.close());

  const start = (owner: string, isReady = true): Worker => {
    const { store, objects, postgres } = shop;
    const worker = createWorker({
      ...{ store, objects, postgres, owner, log },
      readProjectedPositions: () => readProjectedPositions(postgres),
      registryCache: {
        registry: emptyRegistry(),
        requireReady: () => (isReady ? Promise.resolve() : Promise.reject(new Error('not ready'))),
      },
      metrics: createWorkerMetrics(createMetrics('worker')),
      maxLargeJobs: 2,
    });
    workers.push(worker);
    return worker;
  };
  const queue = (network: number) => shop.queue('ndjson', ndjsonOf([flatRow(1), flatRow(2)]), { network });
  const queueMany = async (count: number) => {
    const ids: string[] = [];
    for (let nth = 0; nth < count; nth += 1) ids.push(await queue(1 + (nth % 3)));
    return ids;
  };
  const untilEnded = async (ids: readonly string[]) => {
    for (const id of ids) await waitUntil(() => shop.job(id), hasEnded, 60_000);
  };
  const readOpen = async () => {
    const { rows } = await shop.postgres.query<{ job_id: string }>('SELECT job_id FROM open_jobs');
    return rows.map(({ job_id }) => job_id);
  };
  const untilOpen = (ids: readonly string[]) =>
    waitUntil(readOpen, (open) => open.length === ids.length && ids.every((id) => open.includes(id)), 60_000);

  it('runs each job in one of two workers, once', async () => {
    const before = await queueMany(30);
    start('one');
    start('two');
    const ids = [...before, ...(await queueMany(30))];
    await untilEnded(ids);
    const jobs = await Promise.all(ids.map((id) => shop.job(id)));
    expect(jobs.map(({ status, attempt }) => `${status} ${attempt}`)).to.deep.equal(ids.map(() => 'completed 1'));
    await untilOpen([]);
  });

  it('waits for the registry', async () => {
    const waiting = start('one', false);
    const id = await queue(1);
    await untilOpen([id]);
    await sleep(1_200);
    expect((await shop.job(id)).status).to.equal('queued');
    await waiting.stop();
    start('two');
    await untilEnded([id]);
  });

  it('stores each open job once, whichever process reads the log, and removes those that end elsewhere', async () => {
    const first = start('one', false);
    const [ended = '', ...ids] = await queueMany(10);
    await untilOpen([ended, ...ids]);
    start('two', false);
    await first.stop();
    const { metadata } = (await shop.events(bulkJobStream(ended)))[0]!;
    const data = { jobId: ended, attempt: 0, processedRows: 0, errorRows: 0, totalRows: null, reason: 'test' };
    await shop.store.append(bulkJobStream(ended), [{ id: randomUUID(), type: 'BulkIngestFailed', data, metadata }]);
    ids.push(await queue(1));
    await untilOpen(ids);
    start('three');
    await untilEnded(ids);
  });

  it('moves its position on probe events when no job is queued', async () => {
    start('one');
    const now = new Date().toISOString();
    const { position } = await shop.store.append(probeStream('test'), [
      {
        id: randomUUID(),
        type: ProbeEmitted.type,
        data: { service: 'test', emittedAt: now },
        metadata: { schemaVersion: 1, receivedAt: now },
      },
    ]);
    const key = { projection: 'open-jobs', generation: 1 };
    await waitUntil(
      () => createCheckpointStore(shop.postgres).read(key),
      (checkpoint) => checkpoint.position >= position,
    );
  });

  it('loses no job when PostgreSQL is restored from a backup, or is empty', async () => {
    const tables = ['open_jobs', 'checkpoints'];
    const worker = start('one', false);
    const known = await queueMany(5);
    await untilOpen(known);
    for (const table of tables) await shop.postgres.query(`CREATE TABLE backup_${table} AS TABLE ${table}`);
    const later = await queueMany(5);
    await untilOpen([...known, ...later]);
    await worker.stop();
    const [ended, open] = [known.slice(0, 2), [...known.slice(2), ...later]];
    for (const id of ended) expect(await shop.work(id)).to.equal('ended');

    for (const table of tables)
      await shop.postgres.query(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM backup_${table}`);
    const restored = start('two', false);
    await untilOpen(open);
    await restored.stop();

    for (const table of tables) await shop.postgres.query(`DELETE FROM ${table}`);
    start('three', false);
    await untilOpen(open);
    start('four');
    await untilEnded(open);
    await untilOpen([]);
  });

  it('continues when the event store and PostgreSQL recover', async () => {
    start('one');
    const ids = await queueMany(5);
    for (let round = 0; round < 3; round += 1) {
      await shop.node.kill9();
      await shop.postgres.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      await shop.node.restart();
      await waitUntil(
        () =>
          queue(1).then(
            (id) => ids.push(id) > 0,
            () => false,
          ),
        Boolean,
        60_000,
      );
    }
    await untilEnded(ids);
    await untilOpen([]);
  });
});
