import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError } from './sender.fixture.ts';
import { completed, ingest, jobOf, started, uploaded } from './upload.fixture.ts';

describe('command-api: bulk jobs', () => {
  let api: TestCommandApi;
  let jobId: string;
  before(async () => {
    api = await commandApi();
    const { fileId } = await uploaded(api.send);
    ({ jobId } = (await ingest(api.send, fileId)).body as unknown as { jobId: string });
  });
  after(() => api.close());
  const readJob = async () => (await jobOf(api.send, jobId)).body as unknown as Record<string, unknown>;

  it('respond with their current status to every poll', async () => {
    const queued = await readJob();
    expect(Object.keys(queued).sort()).to.deep.equal(
      [
        'bytesRead',
        'completedAt',
        'errorRows',
        'errors',
        'jobId',
        'processedRows',
        'sizeBytes',
        'startedAt',
        'status',
      ].sort(),
    );
    expect(queued).to.deep.include({ jobId, status: 'queued', completedAt: null, errors: [], sizeBytes: 16 });
    expect(await readJob()).to.deep.equal(queued);
    await started(api, jobId);
    const processing = await readJob();
    expect(processing['status']).to.equal('processing');
    expect(Date.parse(String(processing['startedAt']))).to.be.at.least(Date.parse(String(queued['startedAt'])));
    await completed(api, jobId);
    const ended = await readJob();
    expect(ended).to.deep.include({ status: 'completed', totalRows: 2, processedRows: 2, errorRows: 0, bytesRead: 16 });
    expect(ended['startedAt']).to.equal(processing['startedAt']);
    expect(ended['completedAt']).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(await readJob()).to.deep.equal(ended);
  });

  it('respond 404 for unknown jobs and for jobs of other vendors', async () => {
    for (const id of ['5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11', 'x', '%2e%2e', '$all', encodeURIComponent('a/b')])
      expectApiError(await jobOf(api.send, id), 404, 'NOT_FOUND');
    for (const [network, vendor] of [
      [2, 'acme'],
      [1, 'other'],
    ] as const) {
      const { send } = await api.newKey(network, vendor);
      const [foreign, unknown] = [await jobOf(send, jobId), await jobOf(send, jobId.replace(/^./, 'f'))];
      expectApiError(foreign, 404, 'NOT_FOUND');
      expect(foreign.body.message).to.equal(unknown.body.message);
    }
    expect((await jobOf((await api.newKey()).send, jobId)).status).to.equal(200);
  });

  it('reject query parameters', async () => {
    const reply = await jobOf(api.send, `${jobId}?status=failed`);
    expectApiError(reply, 400, 'INVALID_PARAM', ['status']);
  });
});
