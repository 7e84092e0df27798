import { randomUUID } from 'node:crypto';
import { BulkJob } from '@popsvc/contracts/bulk';
import { VendorJobs } from '@popsvc/contracts/responses';
import { expect } from 'chai';
import { createBulkJob } from '../ops-api/bulk-job.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { registerMapping } from './event-status.fixture.ts';
import { createVendorReader, expectInvalid, registerConstantMapping } from './vendor-reads.fixture.ts';

const row = (ref: string, overrides: object = {}) => ({
  ...{ ref, screen: 'screen-1', io: 'C-100', asset: 'CR-1', start: '2026-08-20T14:00:00Z', seconds: 10 },
  ...overrides,
});

describe('the bulk jobs of a vendor', function () {
  let system: TestServices;
  let acme: string;
  const [mapped, waiting, foreignVendor, foreignNetwork] = Array.from({ length: 4 }, () => randomUUID());
  /** Appends the rows of a job as the worker does. */
  const appendRows = (
    jobId: string,
    schemaVersion: string,
    items: readonly object[],
    { network = 1, vendor = 'acme', ...data }: { network?: number; vendor?: string; maxAgeDays?: number } = {},
  ) =>
    system.append(
      `bulk-${network}.${jobId}`,
      'DynamicPlaysRecorded',
      { schemaVersion, items, bulk: { jobId, rows: items.map((_, index) => index + 1) }, ...data },
      { network, vendor },
    );
  /** A job without a mapping, whose two rows are quarantined. */
  const runUnmapped = async (jobId: string, network = 1, vendor = 'acme') => {
    const job = createBulkJob(system, jobId, { network, vendor });
    await job.queue({ schemaVersion: 'unknown-1', fileName: `of-${vendor}-${network}.csv` });
    await job.start(1, { mappingVersion: null });
    await appendRows(jobId, 'unknown-1', [{ n: 1 }, { n: 2 }], { network, vendor });
    await job.complete(1, 2);
  };
  before(async () => {
    system = await startTestServices();
    await system.register(smallRegistry);
    await registerMapping(system, { version: 1 });
    acme = await system.apiKey();
    const job = createBulkJob(system, mapped!);
    await job.queue({ delimiter: ';' });
    await job.start(1);
    await appendRows(mapped!, 'own-1', [row('a'), row('b', { start: 'noon' })]);
    await job.rows(1, 3, 999, [2, 3], 2);
    await job.completePartially(1, 3, 2);
    await runUnmapped(waiting!);
    await runUnmapped(foreignVendor!, 1, 'beta');
    await runUnmapped(foreignNetwork!, 2, 'acme');
    await system.project();
  });
  after(() => system.close());

  const request = (query = '', key: string | undefined = acme) =>
    createVendorReader(system.ingestUrl)<VendorJobs>(`/jobs${query}`, key);
  const read = async (query = '', key = acme) => {
    const { status, body } = await request(query, key);
    expect(status, JSON.stringify(body)).to.equal(200);
    return VendorJobs.parse(body).data;
  };
  const idsOf = ({ rows }: VendorJobs['data']) => rows.map(({ jobId }) => jobId);
  const readJob = async (jobId: string, key = acme) => {
    const { status, body } = await createVendorReader(system.ingestUrl)<BulkJob>(`/dynamic/bulk/jobs/${jobId}`, key);
    expect(status, JSON.stringify(body)).to.equal(200);
    return BulkJob.parse(body);
  };

  it('are listed with their rows in quarantine, newest first', async () => {
    const { rows, count, next_before } = await read();
    expect(rows.map(({ delimiter }) => delimiter)).to.deep.equal([',', ';']);
    expect([count, next_before]).to.deep.equal([2, null]);
    expect(rows.map(({ jobId }) => jobId)).to.deep.equal([waiting, mapped]);
    expect(rows[0]).to.include({ status: 'completed', schemaVersion: 'unknown-1', quarantinedRows: 2, totalRows: 2 });
    expect(rows[0]?.message).to.match(/^All rows are in quarantine/);
    expect(rows[1]).to.deep.include({
      ...{ jobId: mapped, status: 'partially_completed', fileName: 'plays.csv', format: 'csv', schemaVersion: 'own-1' },
      ...{ totalRows: 3, processedRows: 1, errorRows: 2, quarantinedRows: 1, bytesRead: 1_000, sizeBytes: 1_000 },
    });
    expect(rows[1]).to.not.have.property('message');
    for (const { queuedAt, startedAt, completedAt } of rows)
      expect([queuedAt, startedAt, completedAt].toSorted()).to.deep.equal([queuedAt, startedAt, completedAt]);
  });

  it('contain only those of the vendor and network of the key', async () => {
    expect(idsOf(await read('', await system.apiKey(1, 'beta')))).to.deep.equal([foreignVendor]);
    expect(idsOf(await read('', await system.apiKey(2, 'acme')))).to.deep.equal([foreignNetwork]);
    expect(await read('', await system.apiKey(3, 'acme'))).to.deep.equal({ count: 0, rows: [], next_before: null });
  });

  it('are divided into pages and selected by status', async () => {
    const first = await read('?limit=1');
    expect(idsOf(first)).to.deep.equal([waiting]);
    const second = await read(`?limit=1&before=${first.next_before}`);
    expect(idsOf(second)).to.deep.equal([mapped]);
    expect(second.next_before).to.equal(null);
    expect(idsOf(await read('?status=partially_completed'))).to.deep.equal([mapped]);
    expect(idsOf(await read('?status=queued'))).to.deep.equal([]);
  });

  it('show a job that has not begun', async () => {
    const jobId = randomUUID();
    const key = await system.apiKey(4, 'acme');
    await createBulkJob(system, jobId, { network: 4 }).queue();
    await system.project();
    const [job] = (await read('', key)).rows;
    expect(job).to.include({ jobId, status: 'queued', processedRows: 0, completedAt: null, bytesRead: 0 });
    expect(job?.startedAt).to.equal(job?.queuedAt);
    expect(job).to.not.have.any.keys('totalRows', 'quarantinedRows', 'message');
  });

  it('refuse invalid parameters and requests without a key', async () => {
    expectInvalid(await request('?status=lost'), 'status');
    expectInvalid(await request('?limit=201&before=x'), 'limit', 'before');
    expectInvalid(await request('?network=2'), 'network');
    expect((await createVendorReader(system.ingestUrl)('/jobs', undefined)).status).to.equal(401);
  });

  it('say in the answer about one job how many rows wait', async () => {
    expect(await readJob(mapped!)).to.include({ quarantinedRows: 1 });
    const all = await readJob(waiting!);
    expect(all).to.include({ status: 'completed', processedRows: 2, errorRows: 0, quarantinedRows: 2 });
    expect(all.message).to.match(/^All rows are in quarantine/);
  });

  it('say which rows exceeded the age limit', async () => {
    const jobId = randomUUID();
    const job = createBulkJob(system, jobId);
    await job.queue();
    await job.start(1);
    const old = { start: '2020-08-20T14:00:00Z' };
    await appendRows(jobId, 'own-1', [row('c', old), row('d', old)], { maxAgeDays: 3 });
    await job.fail(1, 'No row of the file is good.', 2);
    await system.project();
    const message = /2 of 2 exceeded the age limit .* can convert them\. GET/;
    expect((await readJob(jobId)).message).to.match(message);
    expect((await read()).rows[0]?.message).to.match(message);
  });

  it('say so before the rows are projected', async () => {
    const jobId = randomUUID();
    await runUnmapped(jobId);
    expect(await readJob(jobId)).to.include({ quarantinedRows: 2 });
  });

  it('have no rows in quarantine after a mapping has converted them', async () => {
    await registerConstantMapping(system);
    await system.project();
    expect(await readJob(waiting!)).to.not.have.any.keys('quarantinedRows', 'message');
    const job = (await read()).rows.find(({ jobId }) => jobId === waiting);
    expect(job).to.not.have.any.keys('quarantinedRows', 'message');
  });

  it('respond without query-api, with the rows that had no mapping', async () => {
    await system.stopReports();
    expect(await readJob(waiting!)).to.include({ status: 'completed', quarantinedRows: 2 });
    expect(await readJob(mapped!)).to.not.have.property('quarantinedRows');
    expect((await request()).status).to.equal(503);
  });
});
