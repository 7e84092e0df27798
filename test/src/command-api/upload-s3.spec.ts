import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createClient } from '@popsvc/client';
import { type ExternalObjectStore, openS3ObjectStore } from '@popsvc/platform/object-storage';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { s3Server } from '../object-storage/s3-server.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError } from './sender.fixture.ts';
import { addressFor, ingest, ndjson, rows } from './upload.fixture.ts';

describe('command-api: uploads to an S3 object store', function () {
  let server: Awaited<ReturnType<typeof s3Server>>;
  let objects: ExternalObjectStore;
  let api: TestCommandApi;
  before(async () => {
    server = await s3Server();
    objects = await openS3ObjectStore(server);
    api = await commandApi({ objects, uploads: { maxBytes: 1_000, secrets: [] } });
  });
  after(async () => {
    await api.close();
    await objects.close();
    await server.close();
  });
  const put = async (url: string, body: string | Buffer = rows, type = ndjson) =>
    (await fetch(url, { method: 'PUT', body, headers: { 'Content-Type': type } })).status;

  it('go to URLs of the object store and are ingested from there', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    expect(uploadUrl.startsWith(`${server.endpoint}/uploads/uploads/1/${fileId}?`)).to.equal(true);
    expectApiError(await ingest(api.send, fileId), 400, 'INVALID_REQUEST', ['fileId']);
    expect(await put(uploadUrl)).to.equal(200);
    const reply = await ingest(api.send, fileId);
    expect(reply.status).to.equal(202);
    const { jobId } = reply.body as unknown as { jobId: string };
    const [queued] = await api.events(`bulkJob-${jobId}`);
    expect(queued?.data).to.deep.include({ objectKey: `uploads/1/${fileId}`, sizeBytes: 16, sha256: null });
    expect((await api.events(`upload-${fileId}`)).map(({ type }) => type)).to.deep.equal([
      'UploadRequested',
      'UploadReceived',
      'UploadClaimed',
    ]);
  });

  it('are sent by the client with their length, which S3 requires', async () => {
    const { apiKey } = await api.newKey();
    const client = createClient({ baseUrl: api.baseUrl, ingestUrl: api.baseUrl, apiKey });
    const path = join(await temporaryFolder('s3-uploads'), 'plays.ndjson');
    for (const content of [rows, '']) {
      await writeFile(path, content);
      const fileId = await client.uploadFile(path, { format: 'ndjson' });
      expect(await objects.readMetadata(`uploads/1/${fileId}`)).to.include({ sizeBytes: content.length });
    }
  });

  it('are ingested as they are stored at the time of the request', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    expect(await put(uploadUrl, Buffer.alloc(2_000))).to.equal(200);
    const tooLarge = await ingest(api.send, fileId);
    expectApiError(tooLarge, 400, 'INVALID_REQUEST', ['fileId']);
    expect(tooLarge.body.message).to.include('1000 bytes');
    expect(await put(uploadUrl)).to.equal(200);
    const reply = await ingest(api.send, fileId);
    const [queued] = await api.events(`bulkJob-${(reply.body as unknown as { jobId: string }).jobId}`);
    expect(queued?.data).to.include({ sizeBytes: 16 });
  });

  it('have their header row checked, and must not be compressed', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send, { format: 'csv' });
    for (const [content, problem] of [
      ['a;a\n1;2\n', 'The header row has the name "a" twice.'],
      [gzipSync('a;b\n1;2\n'), 'The file is compressed with gzip; it must be plain text in UTF-8.'],
    ] as const) {
      expect(await put(uploadUrl, content, 'text/csv')).to.equal(200);
      const refused = await ingest(api.send, fileId);
      expectApiError(refused, 400, 'INVALID_REQUEST', ['fileId']);
      expect(refused.body.message).to.include(problem);
    }
    expect(await put(uploadUrl, 'a;b\n1;2\n', 'text/csv')).to.equal(200);
    const reply = await ingest(api.send, fileId);
    const [queued] = await api.events(`bulkJob-${(reply.body as unknown as { jobId: string }).jobId}`);
    expect(queued?.data).to.include({ delimiter: ';' });
  });

  it('are bound to the content type, and expire', async () => {
    const { uploadUrl } = await addressFor(api.send, { expiresInSeconds: 1 });
    expect(await put(uploadUrl, rows, 'text/csv')).to.equal(403);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(await put(uploadUrl)).to.equal(403);
  });

  it('have no endpoint in this service', async () => {
    const path = '/popsvc/v1/uploads/1/5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11';
    const response = await fetch(api.baseUrl + path, { method: 'PUT', body: 'x' });
    expect(response.status).to.equal(404);
  });

  it('receive 503 while the object store is down, and readiness shows it', async () => {
    const { fileId } = await addressFor(api.send);
    await server.close();
    expectApiError(await ingest(api.send, fileId), 503, 'UNAVAILABLE');
    const ready = await fetch(`${api.baseUrl}/readyz`);
    expect(ready.status).to.equal(503);
  });
});
