import { setTimeout as sleep } from 'node:timers/promises';
import { startUploadLifecycle, createUploadMetrics } from '@popsvc/command-api/bulk';
import { defaultIntakeTimeouts } from '@popsvc/command-api/intake';
import { UploadClaimed } from '@popsvc/contracts/events';
import { type ExternalObjectStore, openDiskObjectStore, openS3ObjectStore } from '@popsvc/platform/object-storage';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { v5 } from 'uuid';
import { s3Server } from '../object-storage/s3-server.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError } from './sender.fixture.ts';
import { addressFor, completed, filesIn, ingest, jobOf, rows, started, upload, uploaded } from './upload.fixture.ts';

const [hourMs, dayMs] = [3_600_000, 24 * 3_600_000];
const log = createLog('test', 'silent');

describe('command-api: upload life cycle', function () {
  let now = Date.now();
  const clock = { now: () => now };
  const lifecycles: { stop(): Promise<void> }[] = [];

  /** Runs the upload life cycle as another process would, with frequent sweeps. */
  const startLifecycle = async (api: TestCommandApi, external?: ExternalObjectStore) => {
    const { store, postgres } = api;
    const dependencies = {
      ...{ store, postgres, clock, log },
      circuit: {
        requireAvailable: () => undefined,
        reportUnavailable: () => undefined,
        stop: () => undefined,
        readTimeoutMs: 60_000,
      },
      storage: external
        ? { objects: external }
        : {
            objects: await openDiskObjectStore(api.uploadsDir),
            urls: { createTarget: () => Promise.reject(new Error('not requested')), verifyUrl: () => undefined },
          },
      metrics: createUploadMetrics(createMetrics('test')),
      maxUploadBytes: 1_000,
      maxAgeDays: undefined,
      timeouts: defaultIntakeTimeouts,
    };
    const lifecycle = startUploadLifecycle(dependencies, 100);
    lifecycles.push(lifecycle);
    return lifecycle;
  };
  const until = (what: () => Promise<boolean> | boolean) => waitUntil(async () => what(), Boolean);
  const lastOf = async (api: TestCommandApi, fileId: string) => (await api.events(`upload-${fileId}`)).at(-1)?.type;
  const lies = (api: TestCommandApi, fileId: string) =>
    filesIn(api.uploadsDir).filter((path) => path.includes(fileId)).length;

  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ clock });
  });
  beforeEach(() => (now = Date.now()));
  afterEach(async () => {
    for (const lifecycle of lifecycles.splice(0)) await lifecycle.stop();
  });
  after(() => api.close());

  it('expires an upload without a file', async () => {
    const { fileId, uploadUrl } = await addressFor(api.send, { expiresInSeconds: 60 });
    await startLifecycle(api);
    const readMessage = async () => ((await ingest(api.send, fileId)).body as { message: string }).message;
    expect(await readMessage()).to.equal('fileId: has not been uploaded yet');
    now += 60_000 + hourMs - 1;
    expect(await readMessage()).to.include('was not uploaded before its URL expired');
    await sleep(500);
    expect(await lastOf(api, fileId)).to.equal('UploadRequested');
    now += 1;
    await until(async () => (await lastOf(api, fileId)) === 'UploadExpired');
    expect((await upload(uploadUrl)).status).to.equal(403);
    expectApiError(await ingest(api.send, fileId), 400, 'INVALID_REQUEST', ['fileId']);
  });

  it('expires a file that is not ingested for a day, with two processes and across a restart', async () => {
    const addresses = [];
    for (let file = 0; file < 10; file++) addresses.push(await uploaded(api.send));
    const first = await startLifecycle(api);
    await sleep(500);
    now += dayMs - 60_000;
    await first.stop();
    await Promise.all([startLifecycle(api), startLifecycle(api)]);
    await sleep(500);
    expect(addresses.map(({ fileId }) => lies(api, fileId))).to.deep.equal(addresses.map(() => 1));
    now += 60_000;
    for (const { fileId } of addresses) {
      await until(() => lies(api, fileId) === 0);
      const types = (await api.events(`upload-${fileId}`)).map(({ type }) => type);
      expect(types).to.deep.equal(['UploadRequested', 'UploadReceived', 'UploadExpired']);
      expectApiError(await ingest(api.send, fileId), 400, 'INVALID_REQUEST', ['fileId']);
    }
  });

  it('removes the file of a job when the job has ended, and not before', async () => {
    const { fileId } = await uploaded(api.send);
    const { jobId } = (await ingest(api.send, fileId)).body as unknown as { jobId: string };
    await startLifecycle(api);
    await started(api, jobId);
    now += 3 * dayMs;
    await sleep(500);
    expect(lies(api, fileId)).to.equal(1);
    await completed(api, jobId);
    await until(() => lies(api, fileId) === 0);
    expect(await lastOf(api, fileId)).to.equal('UploadClaimed');
    expect((await jobOf(api.send, jobId)).body.status).to.equal('completed');
  });

  it('queues the job of a claim whose process died', async () => {
    const { fileId } = await uploaded(api.send);
    const jobId = v5('bulk-job', fileId);
    const { type, version } = UploadClaimed;
    const metadata = { schemaVersion: version, receivedAt: new Date(now).toISOString(), network: 1, vendor: 'acme' };
    const data = { fileId, jobId, schemaVersion: 'flat-1' };
    await api.store.append(`upload-${fileId}`, [{ id: crypto.randomUUID(), type, data, metadata }]);
    expect((await jobOf(api.send, jobId)).status).to.equal(404);
    await startLifecycle(api);
    await until(async () => (await jobOf(api.send, jobId)).status === 200);
    expect((await ingest(api.send, fileId)).status).to.equal(202);
    expect(await api.events(`bulkJob-${jobId}`)).to.have.length(1);
  });

  it('expires files in an external object store, a replaced one a day after it was replaced', async () => {
    const server = await s3Server();
    let replacedAtMs = 0;
    const s3 = await openS3ObjectStore(server);
    const objects: ExternalObjectStore = {
      ...s3,
      readMetadata: async (key) => {
        const file = await s3.readMetadata(key);
        return file && { ...file, storedAtMs: Math.max(file.storedAtMs, replacedAtMs) };
      },
    };
    const away = await commandApi({ clock, objects });
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const [never, forgotten] = [await addressFor(away.send), await addressFor(away.send)];
    const put = await fetch(forgotten.uploadUrl, { method: 'PUT', body: rows, headers });
    expect(put.status).to.equal(200);
    const looks = await startLifecycle(away, objects);
    now += 2 * hourMs;
    await until(async () => (await lastOf(away, never.fileId)) === 'UploadExpired');
    await until(async () => (await lastOf(away, forgotten.fileId)) === 'UploadReceived');
    expect(await objects.readMetadata(`uploads/1/${forgotten.fileId}`)).to.not.equal(undefined);
    replacedAtMs = now;
    now += dayMs - hourMs;
    await until(async () => (await away.events(`upload-${forgotten.fileId}`)).length === 3);
    expect(await lastOf(away, forgotten.fileId)).to.equal('UploadReceived');
    now += hourMs;
    await until(async () => (await objects.readMetadata(`uploads/1/${forgotten.fileId}`)) === undefined);
    expect(await lastOf(away, forgotten.fileId)).to.equal('UploadExpired');
    await looks.stop();
    await away.close();
    await objects.close();
    await server.close();
  });
});
