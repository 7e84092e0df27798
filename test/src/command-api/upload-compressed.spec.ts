import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { frame, repeatBlock, repeatedRows, skippableFrame, zstdRepeatedRows } from '../decompression/zstd.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { addressFor, filesIn, ingest, ndjson, upload } from './upload.fixture.ts';

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const gzip = { 'Content-Type': ndjson, 'Content-Encoding': 'gzip' };
const zstd = { 'Content-Type': ndjson, 'Content-Encoding': 'zstd' };
const maxBytes = 5_000_000;

describe('command-api: compressed uploads', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi({ uploads: { maxBytes } });
  });
  after(() => api.close());

  /** Uploads a file that is refused, and checks that nothing is left of it and that the URL accepts another file. */
  const refused = async (content: Buffer, headers: Readonly<Record<string, string>>) => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    const { status, body } = await upload(uploadUrl, content, headers);
    expect((await api.events(`upload-${fileId}`)).map(({ type }) => type)).to.deep.equal(['UploadRequested']);
    expect(
      filesIn(api.uploadsDir).filter((path) => path.includes(fileId) || path.startsWith('.incoming')),
    ).to.deep.equal([]);
    expect((await upload(uploadUrl)).status).to.equal(200);
    return { status, code: body.error?.code, message: body.message, details: body.error?.details };
  };

  for (const [coding, compressed, headers] of [
    ['gzip', gzipSync(repeatedRows), gzip],
    ['gzip', gzipSync(repeatedRows), { ...gzip, 'Content-Encoding': ' X-GZIP ' }],
    ['zstd', zstdRepeatedRows, zstd],
  ] as const)
    it(`are stored decompressed: ${headers['Content-Encoding']}`, async () => {
      const { uploadUrl, fileId } = await addressFor(api.send);
      const { status, body } = await upload(uploadUrl, compressed, headers);
      expect({ status, body }).to.deep.equal({
        status: 200,
        body: { fileId, sizeBytes: repeatedRows.length, sha256: sha256(compressed) },
      });
      const [, received] = await api.events(`upload-${fileId}`);
      const { objectKey, ...data } = received?.data as { objectKey: string };
      expect(data).to.deep.equal({
        fileId,
        sizeBytes: repeatedRows.length,
        sha256: sha256(repeatedRows),
        sent: { contentEncoding: coding, sizeBytes: compressed.length, sha256: sha256(compressed) },
      });
      expect(readFileSync(join(api.uploadsDir, objectKey), 'utf8')).to.equal(repeatedRows);
      const reply = await ingest(api.send, fileId);
      const [queued] = await api.events(`bulkJob-${(reply.body as unknown as { jobId: string }).jobId}`);
      expect(queued?.data).to.include({ sizeBytes: repeatedRows.length, sha256: sha256(repeatedRows) });
    });

  it('are limited in size after decompression, also those that compression enlarges', async () => {
    const largest = randomBytes(maxBytes);
    const { uploadUrl } = await addressFor(api.send);
    const compressed = gzipSync(largest);
    expect(compressed.length).to.be.greaterThan(maxBytes);
    expect((await upload(uploadUrl, compressed, gzip)).body.sizeBytes).to.equal(maxBytes);
    const reply = await refused(gzipSync(Buffer.concat([largest, Buffer.from('x')])), gzip);
    expect([reply.status, reply.code]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    expect(reply.message).to.equal('The file must be at most 5000000 bytes after decompression.');
  });

  it('are refused when they expand to more than 500 times their size', async () => {
    const zeros = gzipSync(Buffer.alloc(4_000_000));
    const blocks = frame([...Array.from({ length: 30 }, () => repeatBlock(100_000)), repeatBlock(1, true)]);
    for (const [content, headers] of [
      [zeros, gzip],
      [blocks, zstd],
    ] as const) {
      const message = 'The file expands to more than 500 times the bytes sent. Send it uncompressed, or in parts.';
      expect(await refused(content, headers)).to.deep.equal({
        status: 413,
        code: 'PAYLOAD_TOO_LARGE',
        message,
        details: [{ path: 'body', message }],
      });
    }
  });

  it('are refused when they are truncated, damaged, not compressed or in another coding', async () => {
    const damaged = gzipSync(randomBytes(100_000));
    damaged[50_000]! ^= 0xff;
    for (const [content, headers, problem] of [
      [gzipSync(repeatedRows).subarray(0, -1), gzip, 'gzip): it ends before the compressed data is complete.'],
      [zstdRepeatedRows.subarray(0, -1), zstd, 'zstd): it ends before the compressed data is complete.'],
      [Buffer.alloc(0), gzip, 'gzip): it ends before the compressed data is complete.'],
      [damaged, gzip, 'gzip): the compressed data is damaged.'],
      [Buffer.from(repeatedRows), gzip, 'gzip): the compressed data is damaged.'],
      [zstdRepeatedRows, gzip, 'gzip): the compressed data is damaged.'],
      [gzipSync(repeatedRows), zstd, 'zstd): the compressed data is damaged: a frame has an unknown magic number.'],
      [
        Buffer.concat([gzipSync(repeatedRows), Buffer.from('\0{"a":1}')]),
        gzip,
        'gzip): it continues after the end of the compressed data.',
      ],
    ] as const) {
      const message = `The file cannot be decompressed (Content-Encoding: ${problem}`;
      const { status, code, ...reply } = await refused(content, headers);
      expect([status, code, reply.message]).to.deep.equal([400, 'INVALID_REQUEST', message]);
      expect(reply.details).to.deep.equal([{ path: 'body', message }]);
    }
  });

  it('end at the limit of bytes sent if they have no content', async () => {
    const { uploadUrl } = await addressFor(api.send);
    const { port, pathname, search } = new URL(uploadUrl);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nContent-Encoding: zstd\r\n` +
        'Transfer-Encoding: chunked\r\n\r\n',
    );
    const empty = skippableFrame('x'.repeat(999_992));
    for (let piece = 0; piece < 6; piece++) {
      socket.write(`${empty.length.toString(16)}\r\n`);
      socket.write(empty);
      socket.write('\r\n');
    }
    expect(await answer).to.match(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('are refused at once, while the client still has bytes to send', async () => {
    const { uploadUrl } = await addressFor(api.send);
    const { port, pathname, search } = new URL(uploadUrl);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nContent-Encoding: gzip\r\n` +
        'Content-Length: 1000000\r\n\r\n',
    );
    socket.write(gzipSync(Buffer.alloc(2_000_000)));
    expect(await answer).to.match(/^HTTP\/1\.1 413 [^]*500 times/);
    socket.destroy();
  });

  it('leave nothing behind when they are interrupted', async () => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    const { port, pathname, search } = new URL(uploadUrl);
    const drafts = () => Promise.resolve(filesIn(api.uploadsDir).filter((path) => path.startsWith('.incoming')));
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nContent-Encoding: gzip\r\n` +
        'Content-Length: 4000000\r\n\r\n',
    );
    socket.write(gzipSync(randomBytes(1_000_000)));
    await waitUntil(drafts, (found) => found.length === 1);
    socket.destroy();
    await waitUntil(drafts, (found) => found.length === 0);
    expect((await api.events(`upload-${fileId}`)).map(({ type }) => type)).to.deep.equal(['UploadRequested']);
  });
});
