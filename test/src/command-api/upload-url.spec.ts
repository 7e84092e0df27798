// cspell:ignore formt
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError } from './sender.fixture.ts';
import { addressFor, uploadUrlPath } from './upload.fixture.ts';

const valid = { fileName: 'plays.ndjson', format: 'ndjson' };

describe('command-api: upload URLs', () => {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  for (const [format, contentType] of [
    ['ndjson', 'application/x-ndjson'],
    ['json', 'application/json'],
    ['csv', 'text/csv'],
  ] as const)
    it(`are issued for ${format} with its content type`, async () => {
      const before = Date.now();
      const address = await addressFor(api.send, { format, fileName: `plays.${format}` });
      const after = Date.now();
      expect(Object.keys(address).sort()).to.deep.equal(['contentType', 'fileId', 'uploadInstructions', 'uploadUrl']);
      expect(address.contentType).to.equal(contentType);
      expect(address.uploadInstructions).to.include(contentType).and.include('Content-Encoding: gzip or zstd');
      expect(address.uploadUrl).to.match(/^http:\/\/localhost:\d+\/popsvc\/v1\/uploads\/1\//);
      const [requested] = await api.events(`upload-${address.fileId}`);
      const { expiresAt, ...data } = requested!.data as { expiresAt: string };
      expect(data).to.deep.equal({ fileId: address.fileId, fileName: `plays.${format}`, format, contentType });
      expect(Date.parse(expiresAt) - 3_600_000).to.be.within(before, after);
      expect(requested!.metadata).to.include({ network: 1, vendor: 'acme', schemaVersion: 1 });
    });

  it('expire after the requested time', async () => {
    for (const expiresInSeconds of [1, 86_400]) {
      const { fileId } = await addressFor(api.send, { expiresInSeconds });
      const [requested] = await api.events(`upload-${fileId}`);
      const { expiresAt } = requested!.data as { expiresAt: string };
      expect(Date.parse(expiresAt) - Date.parse(requested!.metadata.receivedAt)).to.equal(expiresInSeconds * 1_000);
    }
  });

  it('start with the public URL', async () => {
    const behind = await commandApi({ uploads: { publicUrl: 'https://pop.example/in/' } });
    try {
      const { uploadUrl } = await addressFor(behind.send);
      expect(uploadUrl).to.match(/^https:\/\/pop\.example\/in\/popsvc\/v1\/uploads\/1\//);
    } finally {
      await behind.close();
    }
  });

  it('are unique, and the same for a retry with its idempotency key', async () => {
    expect((await addressFor(api.send)).fileId).to.not.equal((await addressFor(api.send)).fileId);
    const keyed = { headers: { 'Idempotency-Key': 'one-file' } };
    const first = await api.send(uploadUrlPath, valid, keyed);
    const again = await api.send(uploadUrlPath, valid, keyed);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expectApiError(await api.send(uploadUrlPath, { ...valid, format: 'csv' }, keyed), 409, 'CONFLICT');
  });

  it('are not issued with validate_only', async () => {
    const head = await api.store.readHeadPosition();
    const reply = await api.send(uploadUrlPath, valid, { query: '?validate_only=true' });
    expect(reply.status).to.equal(200);
    expect(Object.keys(reply.body)).to.deep.equal(['message']);
    expectApiError(await api.send(uploadUrlPath, {}, { query: '?validate_only=true' }), 400, 'INVALID_REQUEST');
    expect(await api.store.readHeadPosition()).to.equal(head);
  });

  const bad: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['nothing', {}, ['fileName', 'format']],
    ['no object', [], ['']],
    ['another format', { ...valid, format: 'xml' }, ['format']],
    ['a format in capitals', { ...valid, format: 'CSV' }, ['format']],
    ['no name', { ...valid, fileName: '' }, ['fileName']],
    ['a name that is a number', { ...valid, fileName: 5 }, ['fileName']],
    ['a path', { ...valid, fileName: 'a/b.ndjson' }, ['fileName']],
    ['a path of another system', { ...valid, fileName: 'a\\b.ndjson' }, ['fileName']],
    ['the folder above', { ...valid, fileName: '..' }, ['fileName']],
    ['a name with a NUL', { ...valid, fileName: 'a\0b' }, ['fileName']],
    ['a name that is too long', { ...valid, fileName: 'x'.repeat(256) }, ['fileName']],
    ['no time at all', { ...valid, expiresInSeconds: 0 }, ['expiresInSeconds']],
    ['more than a day', { ...valid, expiresInSeconds: 86_401 }, ['expiresInSeconds']],
    ['half a second', { ...valid, expiresInSeconds: 1.5 }, ['expiresInSeconds']],
    ['seconds as text', { ...valid, expiresInSeconds: '60' }, ['expiresInSeconds']],
    ['a field that is not known', { ...valid, formt: 'csv' }, ['formt']],
  ];
  for (const [what, body, paths] of bad)
    it(`respond 400 to ${what}`, async () =>
      expectApiError(await api.send(uploadUrlPath, body), 400, 'INVALID_REQUEST', paths));

  it('respond 400 to invalid JSON', async () =>
    expectApiError(await api.send(uploadUrlPath, '{"fileName":'), 400, 'INVALID_REQUEST'));

  it('respond 415 to another content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])
      expectApiError(
        await api.send(uploadUrlPath, JSON.stringify(valid), { headers: { 'Content-Type': type } }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
  });
});
