import { deletePartList } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcFor } from '../cli/popsvc.fixture.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { createBulkJob } from './bulk-job.fixture.ts';

interface Listed {
  readonly jobs: readonly Readonly<Record<string, unknown>>[];
  readonly next_after: string | null;
}

describe('GET /ops/v1/jobs', function () {
  let system: TestServices;
  let popsvc: Popsvc;
  before(async () => {
    system = await startTestServices();
    popsvc = popsvcFor({ baseUrl: system.opsUrl });
  });
  after(() => system.close());

  const request = (path: string, token = operatorToken) =>
    fetch(`${system.opsUrl}/ops/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  const list = async (query = '') => (await (await request(`/jobs${query}`)).json()) as Listed;
  const idsOf = ({ jobs }: Listed) => jobs.map((job) => job['job_id']);
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await popsvc(...args, '--json');
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as T;
  };

  it('shows a job from the queue to its end, however its events are batched', async () => {
    const job = createBulkJob(system, 'followed');
    await job.queue();
    await system.project();
    const [queued] = (await list()).jobs;
    expect(queued).to.deep.include({
      job_id: 'followed',
      status: 'queued',
      network_id: 1,
      vendor: 'acme',
      file_name: 'plays.csv',
      format: 'csv',
      delimiter: ',',
      schema_version: 'own-1',
      size_bytes: 1_000,
      bytes_read: 0,
      progress_percent: 0,
      processed_rows: 0,
      error_rows: 0,
      total_rows: null,
      attempt: 0,
      began_at: null,
      ended_at: null,
      reason: null,
    });
    expect(Date.parse(String(queued?.['queued_at']))).to.be.within(Date.now() - 60_000, Date.now());

    await job.start(1);
    await job.rows(1, 10, 333, [3], 1);
    await system.project();
    const [halfway] = (await list()).jobs;
    expect(halfway).to.deep.include({ status: 'processing', progress_percent: 33.3, processed_rows: 9, error_rows: 1 });
    const beganAt = halfway?.['began_at'];
    expect(beganAt).to.be.a('string');

    await job.start(2);
    await job.rows(2, 30, 999, [15, 30], 3);
    await job.completePartially(2, 30, 3);
    await system.project();
    const [ended] = (await list()).jobs;
    expect(ended).to.deep.include({
      status: 'partially_completed',
      progress_percent: 100,
      bytes_read: 1_000,
      processed_rows: 27,
      error_rows: 3,
      total_rows: 30,
      attempt: 2,
      began_at: beganAt,
    });
    expect(ended?.['ended_at']).to.be.a('string');
  });

  it('shows one job from the log, even before it is projected', async () => {
    const job = createBulkJob(system, 'only-in-log');
    await job.queue({ metadata: { batch: 7 } });
    await job.start(1);
    await job.fail(1, 'The file is empty.');
    expect(await json('jobs', 'show', 'only-in-log')).to.deep.include({
      status: 'failed',
      reason: 'The file is empty.',
      metadata: { batch: 7 },
      mapping_version: 1,
      progress_percent: 0,
      errors: [],
    });
    const [shown, listed] = [await json<Listed['jobs'][number]>('jobs', 'show', 'followed'), (await list()).jobs[0]];
    for (const [name, value] of Object.entries(listed ?? {})) expect(shown[name], name).to.deep.equal(value);
    expect(shown['errors']).to.deep.equal([3, 15, 30].map((row) => ({ row, error: `row ${row} is not JSON` })));
  });

  it('shows why a file was not read to its end after good rows, and warnings of its rows', async () => {
    const job = createBulkJob(system, 'cut', { vendor: 'cutter' });
    await job.queue();
    await job.start(1);
    await job.rows(1, 10, 400, [], 0);
    const first = Array.from({ length: 10 }, (_, at) => ({ row: at + 1, fromLine: 3 * at + 2, toLine: 3 * at + 4 }));
    const multiLineRows = { count: 11, first };
    await job.completePartially(1, 10, 0, { reason: 'The file is truncated.', multiLineRows });
    await system.project();
    const [listed] = (await list('?vendor=cutter')).jobs;
    const expected = { status: 'partially_completed', reason: 'The file is truncated.', progress_percent: 40 };
    expect(listed).to.deep.include({ ...expected, bytes_read: 400, total_rows: 10 });
    const shown = await json<Readonly<Record<string, unknown>>>('jobs', 'show', 'cut');
    for (const [name, value] of Object.entries(listed ?? {})) expect(shown[name], name).to.deep.equal(value);
    expect(shown['warning_count']).to.equal(11);
    const message =
      'A quoted field makes lines 5 to 7 of the file one row. If these lines are several rows, remove the stray quotes.';
    expect((shown['warnings'] as readonly object[])[1]).to.deep.equal({ row: 2, code: 'MULTI_LINE_ROW', message });
    const { stdout } = await popsvc('jobs', 'show', 'cut');
    expect(stdout).to.include(`\n  row 2: ${message}\n`).and.to.include('\n  and 1 more\n');
  });

  it('lists jobs by network, vendor and status, the newest first, in pages', async () => {
    for (let n = 0; n < 5; n++) await createBulkJob(system, `beta-${n}`, { vendor: 'beta' }).queue();
    const job = createBulkJob(system, 'gamma', { network: 2, vendor: 'gamma' });
    await job.queue();
    await job.start(1);
    await job.complete(1, 3);
    await system.project();
    expect(idsOf(await list('?vendor=beta'))).to.deep.equal([4, 3, 2, 1, 0].map((n) => `beta-${n}`));
    expect(idsOf(await list('?network=2'))).to.deep.equal(['gamma']);
    expect(idsOf(await list('?status=failed'))).to.deep.equal(['only-in-log']);
    expect((await request('/jobs?network=1&vendor=gamma')).status, 'gamma is not a vendor of network 1').to.equal(400);
    const first = await list('?vendor=beta&limit=3');
    expect(idsOf(first)).to.deep.equal(['beta-4', 'beta-3', 'beta-2']);
    const second = await list(`?vendor=beta&limit=3&after=${first.next_after}`);
    expect([idsOf(second), second.next_after]).to.deep.equal([['beta-1', 'beta-0'], null]);
    expect(await json('jobs', 'list', '--vendor', 'beta', '--status', 'queued', '--limit', '3')).to.deep.equal(first);
  });

  it('prints jobs as columns on the command line', async () => {
    const { stdout, stderr } = await popsvc('jobs', 'list', '--limit', '2');
    expect(stdout)
      .to.match(/^JOB_ID +STATUS +PROGRESS_PERCENT/)
      .and.to.match(/\ngamma +completed +100 /);
    expect(stderr).to.match(/--after \d+/);
    const shown = await popsvc('jobs', 'show', 'followed');
    expect(shown.stdout)
      .to.match(/^status +partially_completed$/m)
      .and.to.include('row 15: row 15 is not JSON');
    expect((await popsvc('jobs', 'list', '--after', '1')).stdout).to.equal('There are no such bulk jobs.\n');
  });

  it('streams every rejected row, however many there are', async () => {
    const job = createBulkJob(system, 'many');
    await job.queue();
    await job.start(1);
    const each = 500;
    for (let part = 1; part <= 40; part++) {
      const rejected = Array.from({ length: each }, (_, n) => (part - 1) * each + n + 1);
      await job.rows(1, part * each, part * 10, rejected, part * each);
    }
    const { code, stdout } = await popsvc('jobs', 'errors', 'many');
    expect(code).to.equal(0);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { row: number }).row);
    expect(rows).to.deep.equal(Array.from({ length: 40 * each }, (_, n) => n + 1));
    expect((await popsvc('jobs', 'show', 'many')).stdout).to.include('and 19990 more: popsvc jobs errors many');
    expect(await popsvc('jobs', 'errors', 'gamma')).to.deep.equal({ code: 0, stdout: '', stderr: '' });
  });

  it('rejects unknown jobs and invalid parameters', async () => {
    for (const args of [
      ['show', 'unknown'],
      ['errors', 'unknown'],
      ['show', '../registry'],
    ])
      expect(await popsvc('jobs', ...args)).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: 'popsvc: There is no bulk job with this id.\n',
      });
    for (const query of ['?status=done', '?limit=0', '?limit=1001', '?network=x', '?after=-1', '?vendor=A', '?page=2'])
      expect((await request(`/jobs${query}`)).status, query).to.equal(400);
    expect((await request('/jobs', 'nonsense')).status).to.equal(401);
    expect((await popsvc('jobs', 'list', '--limit', '0')).code).to.equal(2);
    expect((await popsvc('jobs', 'list', '--status', 'done')).code).to.equal(2);
  });

  it('returns the same jobs after they were projected again', async () => {
    await system.project();
    const before = await list();
    expect(idsOf(before)).to.have.length(10);
    await system.writer.run('TRUNCATE TABLE bulk_jobs_g1');
    await system.writer.run(`ALTER TABLE progress_jobs_g1 DELETE WHERE 1 SETTINGS mutations_sync = 2`);
    // With the list, the empty table would be damaged.
    await deletePartList(system.postgres, { projection: 'jobs', generation: 1 });
    await system.projectOne('jobs', { limits: { rows: 1, bytes: 1, ageMs: 1 } });
    expect(await list()).to.deep.equal(before);
  });
});
