// cspell:ignore unixsum
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { addressFor, filesIn, ndjson, rows, upload } from './upload.fixture.ts';

const base64Of = (algorithm: string, bytes: string | Buffer) => createHash(algorithm).update(bytes).digest('base64');
const sha256 = (bytes: string | Buffer) => `sha-256=:${base64Of('sha256', bytes)}:`;
const sha512 = (bytes: string | Buffer) => `sha-512=:${base64Of('sha512', bytes)}:`;
const md5 = (bytes: string | Buffer) => base64Of('md5', bytes);
const other = 'other bytes';

describe('command-api: uploads with digests or a range', () => {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  const send = async (headers: Readonly<Record<string, string>>, content: string | Buffer = rows) => {
    const { uploadUrl, fileId } = await addressFor(api.send);
    const { status, body } = await upload(uploadUrl, content, { 'Content-Type': ndjson, ...headers });
    return { fileId, uploadUrl, status, code: body.error?.code, details: body.error?.details };
  };
  /** Uploads a file that is refused because of a header, and checks that nothing of it is stored and the URL stays valid. */
  const refused = async (header: string, value: string, more: Readonly<Record<string, string>> = {}) => {
    const { fileId, uploadUrl, status, code, details } = await send({ [header]: value, ...more });
    expect({ status, code, paths: details?.map(({ path }) => path) }, `${header}: ${value}`).to.deep.equal({
      status: 400,
      code: 'INVALID_REQUEST',
      paths: [header],
    });
    expect((await api.events(`upload-${fileId}`)).map(({ type }) => type)).to.deep.equal(['UploadRequested']);
    const drafts = filesIn(api.uploadsDir).filter((path) => path.includes(fileId) || path.startsWith('.incoming'));
    expect(drafts).to.deep.equal([]);
    expect((await upload(uploadUrl)).status).to.equal(200);
    return details![0]!.message;
  };

  it('refuses a part of a file, and keeps the file that was uploaded before', async () => {
    for (const range of ['bytes 20-39/40', 'bytes */40', 'lines 1-2/3', ''])
      expect(await refused('Content-Range', range)).to.equal('is not supported: send the whole file');
    const { uploadUrl, fileId } = await send({});
    const part = await upload(uploadUrl, '{"a":2}\n', { 'Content-Type': ndjson, 'Content-Range': 'bytes 8-15/16' });
    expect(part.status).to.equal(400);
    expect((await api.events(`upload-${fileId}`)).at(-1)!.data).to.deep.include({ sizeBytes: rows.length });
  });

  it('accepts a file with its digests, whatever else the headers contain', async () => {
    for (const [header, value] of [
      ['Content-Digest', sha256(rows)],
      ['Content-Digest', `${sha512(rows)};a=1 , ${sha256(rows)}`],
      ['Content-Digest', `md5=:AAAA:, sha=?0, unknown=(1 2), ${sha256(rows)}`],
      ['Content-Digest', 'unixsum=:MTI=:'],
      ['Content-Digest', ''],
      ['Repr-Digest', `${sha256(rows)},${sha512(rows)}`],
      ['Content-MD5', md5(rows)],
    ] as const)
      expect((await send({ [header]: value })).status, value).to.equal(200);
  });

  it('refuses a file with another digest, and says which it has', async () => {
    expect(await refused('Content-Digest', sha256(other))).to.equal(
      `has the sha256 ${base64Of('sha256', other)}, and the bytes that arrived have ${base64Of('sha256', rows)}; send the file again`,
    );
    await refused('Content-Digest', `${sha256(rows)}, ${sha512(other)}`);
    await refused('Repr-Digest', sha512(other), { 'Content-Digest': sha512(rows) });
    await refused('Content-MD5', md5(other), { 'Content-Digest': sha256(rows) });
  });

  it('refuses malformed digests', async () => {
    const bare = base64Of('sha256', rows);
    for (const value of [bare, `sha-256=${bare}`, 'sha-256', 'sha-256="x"', 'sha-256=:AAAA:', `${sha256(rows)},`, 'é'])
      await refused('Content-Digest', value);
    await refused('Repr-Digest', 'sha-512=1');
    for (const value of [bare, md5(rows).slice(1), createHash('md5').update(rows).digest('hex'), ''])
      await refused('Content-MD5', value);
  });

  it('compares the digests of a compressed file with the bytes sent', async () => {
    const compressed = gzipSync(rows);
    const gzip = { 'Content-Encoding': 'gzip' };
    for (const header of ['Content-Digest', 'Repr-Digest']) {
      expect((await send({ ...gzip, [header]: sha256(compressed) }, compressed)).status).to.equal(200);
      expect((await send({ ...gzip, [header]: sha256(rows) }, compressed)).status).to.equal(400);
    }
    expect((await send({ ...gzip, 'Content-MD5': md5(compressed) }, compressed)).status).to.equal(200);
    expect((await send({ ...gzip, 'Content-MD5': md5(rows) }, compressed)).status).to.equal(400);
  });
});
