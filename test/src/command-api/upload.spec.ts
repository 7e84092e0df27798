import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { addressFor, filesIn, ingest, ndjson, rows, upload, uploaded } from './upload.fixture.ts';

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const refused = ({ status, body }: Awaited<ReturnType<typeof upload>>, due: number, code: string) =>
  expect({ status, code: body.error?.code }).to.deep.equal({ status: due, code });

describe('command-api: uploads', function () {
  let api: TestCommandApi;
  let now = Date.now();
  before(async () => {
    api = await commandApi({
      clock: { now: () => now },
      uploads: { maxBytes: 5_000_000 },
      // Some tests leave uploads unfinished until a condition is met.
      limits: { bodyIdleTimeoutMs: 600_000 },
    });
  });
  beforeEach(() => (now = Date.now()));
  after(() => api.close());
  const eventsOf = async (fileId: string) => (await api.events(`upload-${fileId}`)).map(({ type }) => type);
  const lies = (fileId: string) => filesIn(api.uploadsDir).filter((path) => path.includes(fileId));

  it('responds with length and hash, and stores the file under a random id', async () => {
    const content = randomBytes(1_000_000);
    const { uploadUrl, fileId } = await addressFor(api.send, { fileName: 'über ../etc'.replace('/', '') });
    const { status, body } = await upload(uploadUrl, content);
    expect({ status, body }).to.deep.equal({
      status: 200,
      body: { fileId, sizeBytes: 1_000_000, sha256: sha256(content) },
    });
    const [, received] = await api.events(`upload-${fileId}`);
    expect(received?.type).to.equal('UploadReceived');
    expect(received?.data).to.deep.include({ fileId, sizeBytes: 1_000_000, sha256: sha256(content) });
    expect(received?.metadata).to.include({ network: 1, vendor: 'acme' });
    const { objectKey } = received?.data as { objectKey: string };
    expect(lies(fileId)).to.deep.equal([objectKey.slice('uploads/'.length)]);
  });

  it('accepts empty files and chunked transfer', async () => {
    expect((await upload((await addressFor(api.send)).uploadUrl, '')).body.sizeBytes).to.equal(0);
    const { uploadUrl } = await addressFor(api.send);
    const { port, pathname, search } = new URL(uploadUrl);
    const socket = connect(Number(port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nTransfer-Encoding: chunked\r\n\r\n` +
        '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    );
    expect(await answer).to.include('"sizeBytes":5');
    socket.destroy();
  });

  it('accepts the content type with a charset, and no other type', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    for (const type of ['application/json', 'text/csv', 'application/x-ndjson; charset=utf-16', ''])
      refused(await upload(uploadUrl, rows, { 'Content-Type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(await eventsOf(fileId)).to.deep.equal(['UploadRequested']);
    expect(lies(fileId)).to.deep.equal([]);
    expect((await upload(uploadUrl, rows, { 'Content-Type': `${ndjson}; charset=UTF-8` })).status).to.equal(200);
  });

  it('rejects a Content-Encoding other than gzip and zstd', async () => {
    const { uploadUrl } = await addressFor(api.send);
    for (const coding of ['br', 'aws-chunked', 'gzip, gzip', 'constructor'])
      refused(
        await upload(uploadUrl, rows, { 'Content-Type': ndjson, 'Content-Encoding': coding }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
    const plain = { 'Content-Type': ndjson, 'Content-Encoding': 'identity' };
    expect((await upload(uploadUrl, rows, plain)).status).to.equal(200);
  });

  it('responds 413 to files that are too large, by Content-Length and by bytes received', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    refused(await upload(uploadUrl, Buffer.alloc(5_000_001)), 413, 'PAYLOAD_TOO_LARGE');
    const { port, pathname, search } = new URL(uploadUrl);
    const socket = connect(Number(port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
    socket.on('error', () => undefined);
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let piece = 0; piece < 6; piece++) socket.write(`f4240\r\n${'x'.repeat(1_000_000)}\r\n`);
    expect(await answer).to.match(/^HTTP\/1\.1 413 /);
    socket.destroy();
    expect(lies(fileId)).to.deep.equal([]);
    expect((await upload(uploadUrl, Buffer.alloc(5_000_000, 'x'))).status).to.equal(200);
  });

  it('removes an interrupted upload and accepts the file again', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    const { port, pathname, search } = new URL(uploadUrl);
    for (let round = 0; round < 5; round++) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nContent-Length: 4000000\r\n\r\n`,
      );
      socket.write(Buffer.alloc(2_000_000, 'x'));
      await sleep(30 + 10 * round);
      socket.destroy();
    }
    const incoming = () => Promise.resolve(filesIn(api.uploadsDir).filter((path) => path.startsWith('.incoming')));
    await waitUntil(incoming, (left) => left.length === 0);
    expect(lies(fileId)).to.deep.equal([]);
    expect(await eventsOf(fileId)).to.deep.equal(['UploadRequested']);
    expect((await upload(uploadUrl)).status).to.equal(200);
  });

  it('responds 408 when no more bytes arrive', async () => {
    const impatient = await commandApi({ limits: { bodyIdleTimeoutMs: 500 } });
    const { uploadUrl, fileId } = await addressFor(impatient.send);
    const { port, pathname, search } = new URL(uploadUrl);
    const socket = connect(Number(port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nContent-Length: 9\r\n\r\nabc`,
    );
    expect(await answer).to.match(/^HTTP\/1\.1 408 /);
    socket.destroy();
    expect(filesIn(impatient.uploadsDir).filter((path) => path.includes(fileId))).to.deep.equal([]);
    await impatient.close();
  });

  it('accepts 16 concurrent uploads of a vendor and 64 in total, and responds 429 or 503 to others', async () => {
    const vendors = ['one', 'two', 'three', 'four', 'five'];
    const urls = await Promise.all(
      vendors.map(async (vendor) => (await addressFor((await api.newKey(1, vendor)).send)).uploadUrl),
    );
    const sockets: Socket[] = [];
    /** Begins uploads that never end; returns the statuses of those that are refused. */
    const begin = (url: string, count: number) => {
      const { port, pathname, search } = new URL(url);
      const refusals: string[] = [];
      for (let index = 0; index < count; index++) {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
        sockets.push(socket.once('data', (answer: Buffer) => refusals.push(answer.toString().slice(9, 12))));
        socket.write(
          `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nContent-Length: 9\r\n\r\nabc`,
        );
      }
      return refusals;
    };
    const ofOne = begin(urls[0]!, 16 + 3);
    await waitUntil(
      () => Promise.resolve(ofOne),
      (refusals) => refusals.length === 3,
    );
    expect(ofOne).to.deep.equal(['429', '429', '429']);
    refused(await upload(urls[0]!), 429, 'RATE_LIMITED');
    expect((await upload(urls[4]!)).status).to.equal(200);
    const ofOthers = [1, 2, 3].map((index) => begin(urls[index]!, 16));
    await waitUntil(
      () => Promise.resolve(filesIn(api.uploadsDir).filter((path) => path.startsWith('.incoming'))),
      (drafts) => drafts.length === 64,
    );
    refused(await upload(urls[4]!), 503, 'UNAVAILABLE');
    expect(ofOthers).to.deep.equal([[], [], []]);
    for (const socket of sockets) socket.destroy();
    await waitUntil(
      () => Promise.resolve(filesIn(api.uploadsDir).filter((path) => path.startsWith('.incoming'))),
      (drafts) => drafts.length === 0,
    );
    await waitUntil(
      () => upload(urls[4]!),
      ({ status }) => status === 200,
    );
  });

  it('refuses a file whose body ends after the URL has expired, and stores nothing', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send, { expiresInSeconds: 60 });
    const { port, pathname, search } = new URL(uploadUrl);
    const socket = connect(Number(port), '127.0.0.1');
    const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
    );
    await waitUntil(
      () => Promise.resolve(filesIn(api.uploadsDir).filter((path) => path.startsWith('.incoming'))),
      (drafts) => drafts.length === 1,
    );
    now += 60_000;
    socket.write('0\r\n\r\n');
    expect(await answer).to.match(/^HTTP\/1\.1 403 [^]*expired before the file had arrived[^]*FORBIDDEN/);
    socket.destroy();
    expect(await eventsOf(fileId)).to.deep.equal(['UploadRequested']);
    expect(lies(fileId)).to.deep.equal([]);
  });

  it('replaces the previous file until it is ingested', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    expect((await upload(uploadUrl, 'first')).status).to.equal(200);
    expect((await upload(uploadUrl, 'second')).body.sha256).to.equal(sha256('second'));
    expect(lies(fileId)).to.have.length(1);
    const { body } = await ingest(api.send, fileId);
    const [queued] = await api.events(`bulkJob-${(body as unknown as { jobId: string }).jobId}`);
    expect(queued?.data).to.deep.include({ sha256: sha256('second'), sizeBytes: 6 });
    refused(await upload(uploadUrl, 'third'), 409, 'CONFLICT');
    expect(lies(fileId)).to.have.length(1);
  });

  it('keeps exactly one of several concurrent uploads of a file', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    const contents = [1, 2, 3, 4].map((one) => Buffer.alloc(2_000_000, String(one)));
    const replies = await Promise.all(contents.map((content) => upload(uploadUrl, content)));
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(replies.map(({ body }) => body.sha256)).to.deep.equal(contents.map(sha256));
    const events = await api.events(`upload-${fileId}`);
    const last = events.at(-1)?.data as { objectKey: string; sha256: string };
    expect(lies(fileId)).to.deep.equal([last.objectKey.slice('uploads/'.length)]);
    expect(contents.map(sha256)).to.include(last.sha256);
  });

  it('rejects an upload while the file is claimed and keeps the claimed file', async () => {
    for (let round = 0; round < 10; round++) {
      const { uploadUrl, fileId } = await uploaded(api.send, 'claimed or not');
      const [again, claimed] = await Promise.all([upload(uploadUrl, 'another one'), ingest(api.send, fileId)]);
      expect(claimed.status).to.equal(202);
      const [queued] = await api.events(`bulkJob-${(claimed.body as unknown as { jobId: string }).jobId}`);
      const { sha256: due, objectKey } = queued?.data as { sha256: string; objectKey: string };
      expect(due).to.equal(sha256(again.status === 200 ? 'another one' : 'claimed or not'));
      if (again.status !== 200) refused(again, 409, 'CONFLICT');
      expect(lies(fileId)).to.deep.equal([objectKey.slice('uploads/'.length)]);
    }
  });
});
