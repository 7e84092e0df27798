import { setTimeout as sleep } from 'node:timers/promises';
import type { Notice } from '@popsvc/contracts/webhooks';
import { createBulkClient, createTestPartner, type Service, startService, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { servicePortsOf } from '../e2e/start-and-stop.fixture.ts';
import { chooseRounds, chooseSeed, createFractions } from '../support/rounds.ts';
import { type Receiver, startReceiver, verifyRequest } from './receiver.fixture.ts';

const rounds = chooseRounds(2, 40);
const seed = chooseSeed(20_261_129);
const jobsPerRound = 6;
const settings = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', QUARANTINE_ALERT_ROWS: '1' };

describe(`webhooks of a service that is killed (${rounds} rounds, seed ${seed})`, function () {
  this.timeout(3_600_000);
  let service: Service;
  let receiver: Receiver;
  before(async () => {
    [service, receiver] = await Promise.all([startService({ env: settings }), startReceiver()]);
  });
  after(async () => {
    receiver.close();
    await service.stop();
  });

  /** Starts a job whose rows wait in quarantine, because no mapping has its schema version. Undefined if there was no response. */
  const startJob = async (): Promise<string | undefined> => {
    const { ingest_base_url: url, api_key: key } = service.credentials;
    const rows = [1, 2, 3].map((row) => JSON.stringify({ row }));
    return createBulkClient(url, key)
      .start({ format: 'ndjson', body: rows.join('\n'), schemaVersion: 'unknown-1' })
      .catch(() => undefined);
  };

  it('issue each notice once, and deliver it at least once', async () => {
    const fraction = createFractions(seed);
    /** Ids of the notices that were acknowledged, with the number of their requests. */
    const delivered = new Map<string, number>();
    const notices = new Map<string, Notice>();
    const body = { url: receiver.url, types: ['job.finished', 'quarantine.growing'] };
    const response = await createTestPartner(service.credentials).push('/webhooks', body);
    expect(response.status).to.equal(201);
    const { data } = (await response.json()) as { data: { secret: string } };

    let requests = 0;
    receiver.respond((_request, reply) => {
      const sent = receiver.received.at(-1)!;
      const id = sent.headers['webhook-id'] as string;
      const notice = verifyRequest(sent, data.secret) as Notice;
      requests += 1;
      if (notices.has(id)) expect(notice).to.deep.equal(notices.get(id));
      notices.set(id, notice);
      const chance = fraction();
      if (chance < 0.15) return void reply.writeHead(503).end();
      // The service may be killed before it reads the response.
      setTimeout(() => {
        reply.writeHead(204).end(() => delivered.set(id, (delivered.get(id) ?? 0) + 1));
      }, chance * 300);
    });
    const deliveredNotices = () => [...delivered.keys()].map((id) => notices.get(id)!);
    const finishedJobs = () =>
      deliveredNotices().flatMap((notice) => (notice.type === 'job.finished' ? [notice.data.job_id] : []));
    const quarantineHours = () =>
      deliveredNotices().flatMap((notice) => (notice.type === 'quarantine.growing' ? [notice.data.hour] : []));

    // The first start begins at the end of the log: after the first notice, its position is stored.
    const jobs = [(await startJob())!];
    await waitUntil(
      () => Promise.resolve(finishedJobs()),
      (ids) => ids.includes(jobs[0]!),
      120_000,
    );

    for (let round = 0; round < rounds; round += 1) {
      const started = Array.from({ length: jobsPerRound }, async (_, index) => {
        await sleep(index * 150);
        return startJob();
      });
      await sleep(200 + fraction() * 2_500);
      await service.kill9();
      jobs.push(...(await Promise.all(started)).filter((id) => id !== undefined));
      service = await startService({ dataDir: service.dataDir, env: { ...settings, ...servicePortsOf(service) } });
    }

    await waitUntil(
      () => Promise.resolve(finishedJobs()),
      (ids) => jobs.every((id) => ids.includes(id)),
      600_000,
    );
    await waitUntil(
      () => Promise.resolve(quarantineHours()),
      (found) => found.length > 0,
      180_000,
    );
    const finished = finishedJobs();
    expect(new Set(finished).size, 'a job has one notice').to.equal(finished.length);
    const hours = quarantineHours();
    expect(new Set(hours).size, 'an hour has one notice').to.equal(hours.length);
    expect(jobs.length).to.be.greaterThan(rounds);
    const repeated = [...delivered.values()].filter((times) => times > 1).length;
    process.stdout.write(
      `      ${rounds} kills: ${jobs.length} jobs, ${delivered.size} notices, ${requests} requests, ${repeated} notices delivered again\n`,
    );
  });
});
