import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectRefusal, sender } from './sender.fixture.ts';
import { completed, ingest, jobOf, jobsPath, started, uploaded } from './upload.fixture.ts';

describe('command-api: bulk jobs', () => {
  let api: TestCommandApi;
  let jobId: string;
  before(async () => {
    api = await commandApi();
    const { fileId } = await uploaded(api.send);
    ({ jobId } = (await ingest(api.send, fileId)).body as unknown as { jobId: string });
  });
  after(() => api.close());
  const told = async () => (await jobOf(api.send, jobId)).body as unknown as Record<string, unknown>;

  it('are told as far as they are, however often somebody asks', async () => {
    const queued = await told();
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
    expect(await told()).to.deep.equal(queued);
    await started(api, jobId);
    const processing = await told();
    expect(processing['status']).to.equal('processing');
    expect(Date.parse(String(processing['startedAt']))).to.be.at.least(Date.parse(String(queued['startedAt'])));
    await completed(api, jobId);
    const ended = await told();
    expect(ended).to.deep.include({ status: 'completed', totalRows: 2, processedRows: 2, errorRows: 0, bytesRead: 16 });
    expect(ended['startedAt']).to.equal(processing['startedAt']);
    expect(ended['completedAt']).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(await told()).to.deep.equal(ended);
  });

  it('are 404 when there is none, or it is of somebody else', async () => {
    for (const id of ['5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11', 'x', '%2e%2e', '$all', encodeURIComponent('a/b')])
      expectRefusal(await jobOf(api.send, id), 404, 'NOT_FOUND');
    for (const [network, vendor] of [
      [2, 'acme'],
      [1, 'other'],
    ] as const) {
      const { send } = await api.newKey(network, vendor);
      const [theirs, nobodys] = [await jobOf(send, jobId), await jobOf(send, jobId.replace(/^./, 'f'))];
      expectRefusal(theirs, 404, 'NOT_FOUND');
      expect(theirs.body.message).to.equal(nobodys.body.message);
    }
    expect((await jobOf((await api.newKey()).send, jobId)).status).to.equal(200);
  });

  it('are told by their address alone: what is asked besides is refused', async () => {
    const reply = await jobOf(api.send, `${jobId}?status=failed`);
    expectRefusal(reply, 400, 'INVALID_PARAM', ['status']);
  });

  it('are 401 to who is not known, and 405 by another method', async () => {
    expectRefusal(await jobOf(sender(api.baseUrl), jobId), 401, 'UNAUTHORIZED');
    expectRefusal(await api.send(`${jobsPath}/${jobId}`, {}), 405, 'METHOD_NOT_ALLOWED');
  });
});
