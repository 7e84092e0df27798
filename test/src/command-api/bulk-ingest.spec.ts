import { expect } from 'chai';
import { v5 } from 'uuid';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, type Reply } from './sender.fixture.ts';
import { addressFor, completed, ingest, ingestPath, jobOf, started, upload, uploaded } from './upload.fixture.ts';

const jobIdOf = ({ body }: Reply) => (body as unknown as { jobId: string }).jobId;
const dayMs = 24 * 3_600_000;

describe('command-api: bulk ingestion', function () {
  let api: TestCommandApi;
  let now = Date.now();
  before(async () => {
    api = await commandApi({ clock: { now: () => now }, maxAgeDays: 30 });
  });
  beforeEach(() => (now = Date.now()));
  after(() => api.close());

  it('queues the job of a file with everything the worker needs', async () => {
    const { fileId } = await uploaded(api.send);
    const reply = await ingest(api.send, fileId, 'flat-1', { metadata: { header: false, batch: 7, note: 'Q3' } });
    expect(reply.status).to.equal(202);
    expect(Object.keys(reply.body).sort()).to.deep.equal(['jobId', 'message']);
    const jobId = jobIdOf(reply);
    expect(jobId).to.equal(v5('bulk-job', fileId));
    const [, received, claimed] = await api.events(`upload-${fileId}`);
    const events = await api.events(`bulkJob-${jobId}`);
    expect(events.map(({ type }) => type)).to.deep.equal(['BulkIngestQueued']);
    const { objectKey, sha256 } = received?.data as { objectKey: string; sha256: string };
    expect(events[0]?.data).to.deep.equal({
      jobId,
      fileId,
      objectKey,
      fileName: 'plays.ndjson',
      format: 'ndjson',
      schemaVersion: 'flat-1',
      metadata: { header: false, batch: 7, note: 'Q3' },
      sizeBytes: 16,
      sha256,
      maxAgeDays: 30,
    });
    expect(events[0]?.metadata).to.include({ network: 1, vendor: 'acme', schemaVersion: 1, causationId: claimed?.id });
    expect(events[0]?.metadata.keyId).to.be.a('string');
    expect((await jobOf(api.send, jobId)).body.status).to.equal('queued');
  });

  it('creates one job per file for repeated and concurrent requests with any key of the vendor', async () => {
    const { fileId } = await uploaded(api.send);
    const { send } = await api.newKey();
    const replies = await Promise.all([...Array(6).keys()].map((one) => ingest(one % 2 ? send : api.send, fileId)));
    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([202]));
    expect(new Set(replies.map(jobIdOf)).size).to.equal(1);
    expect(await api.events(`bulkJob-${jobIdOf(replies[0]!)}`)).to.have.length(1);
    now += 3 * dayMs;
    expect(jobIdOf(await ingest(api.send, fileId))).to.equal(jobIdOf(replies[0]!));
  });

  it('responds with the status of the job when the file already has one', async () => {
    const { fileId } = await uploaded(api.send);
    const first = await ingest(api.send, fileId);
    const messages = [first.body.message, (await ingest(api.send, fileId)).body.message];
    const jobId = jobIdOf(first);
    await started(api, jobId);
    messages.push((await ingest(api.send, fileId)).body.message);
    await completed(api, jobId);
    messages.push((await ingest(api.send, fileId)).body.message);
    expect(messages).to.deep.equal([
      'The job is queued.',
      ...['queued', 'processing', 'completed'].map((status) => `This file has a job already, which is ${status}.`),
    ]);
  });

  it('rejects another schemaVersion for a file that has a job', async () => {
    const { fileId } = await uploaded(api.send);
    expect((await ingest(api.send, fileId, 'flat-1')).status).to.equal(202);
    expectApiError(await ingest(api.send, fileId, 'flat-2'), 400, 'INVALID_REQUEST', ['schemaVersion']);
    const both = await uploaded(api.send);
    const replies = await Promise.all(['a', 'b', 'a', 'b'].map((version) => ingest(api.send, both.fileId, version)));
    const [first] = await api.events(`bulkJob-${v5('bulk-job', both.fileId)}`);
    const { schemaVersion } = first?.data as { schemaVersion: string };
    expect(replies.map(({ status }) => status)).to.deep.equal(
      ['a', 'b', 'a', 'b'].map((version) => (version === schemaVersion ? 202 : 400)),
    );
  });

  it('rejects files that are unknown, not uploaded, of another network or of another vendor', async () => {
    const { fileId } = await addressFor(api.send);
    for (const id of ['5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11', 'x', '../x', '$all', fileId.toUpperCase(), fileId])
      expectApiError(await ingest(api.send, id), 400, 'INVALID_REQUEST', ['fileId']);
    const mine = await uploaded(api.send);
    const messages = [];
    for (const [network, vendor] of [
      [2, 'acme'],
      [1, 'other'],
    ] as const) {
      const { send } = await api.newKey(network, vendor);
      const reply = await ingest(send, mine.fileId);
      expectApiError(reply, 400, 'INVALID_REQUEST', ['fileId']);
      messages.push(reply.body.message);
    }
    // The message does not reveal that another vendor's file exists.
    const unknown = await ingest(api.send, '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11');
    expect(new Set([...messages, unknown.body.message]).size).to.equal(1);
  });

  it('accepts a file for a day from its receipt, even when its URL has expired', async () => {
    const address = await addressFor(api.send, { expiresInSeconds: 60 });
    const late = await addressFor(api.send, { expiresInSeconds: 60 });
    for (const { uploadUrl } of [address, late]) expect((await upload(uploadUrl)).status).to.equal(200);
    const received = now;
    now = received + dayMs - 1;
    expect((await ingest(api.send, address.fileId)).status).to.equal(202);
    now = received + dayMs;
    expectApiError(await ingest(api.send, late.fileId), 400, 'INVALID_REQUEST', ['fileId']);
  });

  it('queues nothing with validate_only and applies the same checks', async () => {
    const { fileId } = await uploaded(api.send);
    const asks = (body: object) => api.send(ingestPath, body, { query: '?validate_only=true' });
    const head = await api.store.readHeadPosition();
    expect((await asks({ fileId, schemaVersion: 'x' })).status).to.equal(200);
    expectApiError(await asks({ fileId: 'x', schemaVersion: 'x' }), 400, 'INVALID_REQUEST', ['fileId']);
    expect(await api.store.readHeadPosition()).to.equal(head);
  });

  it('repeats its response to a retry with the same idempotency key', async () => {
    const { fileId } = await uploaded(api.send);
    const keyed = { headers: { 'Idempotency-Key': 'this-ingest' } };
    const first = await api.send(ingestPath, { fileId, schemaVersion: 'x' }, keyed);
    const again = await api.send(ingestPath, { fileId, schemaVersion: 'x' }, keyed);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expectApiError(await api.send(ingestPath, { fileId, schemaVersion: 'y' }, keyed), 409, 'CONFLICT');
  });

  const valid = { fileId: 'x', schemaVersion: 'x' };
  for (const [what, body, paths] of [
    ['nothing', {}, ['fileId', 'schemaVersion']],
    ['no object', 'null', ['']],
    ['an id that is no text', { ...valid, fileId: 5 }, ['fileId']],
    ['an empty schemaVersion', { ...valid, schemaVersion: '' }, ['schemaVersion']],
    ['metadata that is no object', { ...valid, metadata: [] }, ['metadata']],
    ['a field that is not known', { ...valid, schema: 'x' }, ['schema']],
  ] as const)
    it(`responds 400 to ${what}`, async () =>
      expectApiError(await api.send(ingestPath, body), 400, 'INVALID_REQUEST', paths));
});
