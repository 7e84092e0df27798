import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectRefusal, sender } from './sender.fixture.ts';
import { addressFor, uploadUrlPath } from './upload.fixture.ts';

const asked = { fileName: 'plays.ndjson', format: 'ndjson' };

describe('command-api: addresses for uploads', () => {
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
    it(`are given for ${format}, with the content type that is due`, async () => {
      const before = Date.now();
      const address = await addressFor(api.send, { format, fileName: `plays.${format}` });
      expect(Object.keys(address).sort()).to.deep.equal(['contentType', 'fileId', 'uploadInstructions', 'uploadUrl']);
      expect(address.contentType).to.equal(contentType);
      expect(address.uploadInstructions).to.include(contentType);
      expect(address.uploadUrl).to.match(/^http:\/\/localhost:\d+\/popsvc\/v1\/uploads\/1\//);
      const [requested] = await api.events(`upload-${address.fileId}`);
      const { expiresAt, ...data } = requested!.data as { expiresAt: string };
      expect(data).to.deep.equal({ fileId: address.fileId, fileName: `plays.${format}`, format, contentType });
      expect(Date.parse(expiresAt) - before).to.be.within(3_600_000, 3_602_000);
      expect(requested!.metadata).to.include({ network: 1, vendor: 'acme', schemaVersion: 1 });
    });

  it('last as long as is asked for', async () => {
    for (const expiresInSeconds of [1, 86_400]) {
      const { fileId } = await addressFor(api.send, { expiresInSeconds });
      const [requested] = await api.events(`upload-${fileId}`);
      const { expiresAt } = requested!.data as { expiresAt: string };
      expect(Date.parse(expiresAt) - Date.parse(requested!.metadata.receivedAt)).to.equal(expiresInSeconds * 1_000);
    }
  });

  it('are under the address vendors know', async () => {
    const behind = await commandApi({ uploads: { publicUrl: 'https://pop.example/in/' } });
    try {
      const { uploadUrl } = await addressFor(behind.send);
      expect(uploadUrl).to.match(/^https:\/\/pop\.example\/in\/popsvc\/v1\/uploads\/1\//);
    } finally {
      await behind.close();
    }
  });

  it('are each its own, and the same when the request is told again with its key', async () => {
    expect((await addressFor(api.send)).fileId).to.not.equal((await addressFor(api.send)).fileId);
    const keyed = { headers: { 'Idempotency-Key': 'one-file' } };
    const first = await api.send(uploadUrlPath, asked, keyed);
    const again = await api.send(uploadUrlPath, asked, keyed);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expectRefusal(await api.send(uploadUrlPath, { ...asked, format: 'csv' }, keyed), 409, 'CONFLICT');
  });

  it('are not given to who only asks', async () => {
    const head = await api.store.readHeadPosition();
    const reply = await api.send(uploadUrlPath, asked, { query: '?validate_only=true' });
    expect(reply.status).to.equal(200);
    expect(Object.keys(reply.body)).to.deep.equal(['message']);
    expectRefusal(await api.send(uploadUrlPath, {}, { query: '?validate_only=true' }), 400, 'INVALID_REQUEST');
    expect(await api.store.readHeadPosition()).to.equal(head);
  });

  const bad: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['nothing', {}, ['fileName', 'format']],
    ['no object', [], ['']],
    ['another format', { ...asked, format: 'xml' }, ['format']],
    ['a format in capitals', { ...asked, format: 'CSV' }, ['format']],
    ['no name', { ...asked, fileName: '' }, ['fileName']],
    ['a name that is a number', { ...asked, fileName: 5 }, ['fileName']],
    ['a path', { ...asked, fileName: 'a/b.ndjson' }, ['fileName']],
    ['a path of another system', { ...asked, fileName: 'a\\b.ndjson' }, ['fileName']],
    ['the folder above', { ...asked, fileName: '..' }, ['fileName']],
    ['a name with a NUL', { ...asked, fileName: 'a\0b' }, ['fileName']],
    ['a name that is too long', { ...asked, fileName: 'x'.repeat(256) }, ['fileName']],
    ['no time at all', { ...asked, expiresInSeconds: 0 }, ['expiresInSeconds']],
    ['more than a day', { ...asked, expiresInSeconds: 86_401 }, ['expiresInSeconds']],
    ['half a second', { ...asked, expiresInSeconds: 1.5 }, ['expiresInSeconds']],
    ['seconds as text', { ...asked, expiresInSeconds: '60' }, ['expiresInSeconds']],
    ['a field that is not known', { ...asked, formt: 'csv' }, ['formt']],
  ];
  for (const [what, body, paths] of bad)
    it(`are refused with 400 for ${what}`, async () =>
      expectRefusal(await api.send(uploadUrlPath, body), 400, 'INVALID_REQUEST', paths));

  it('are refused with 400 for what is no JSON', async () =>
    expectRefusal(await api.send(uploadUrlPath, '{"fileName":'), 400, 'INVALID_REQUEST'));

  it('are refused with 401 to who is not known', async () =>
    expectRefusal(await sender(api.baseUrl)(uploadUrlPath, asked), 401, 'UNAUTHORIZED'));

  it('are refused with 415 for another content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])
      expectRefusal(
        await api.send(uploadUrlPath, JSON.stringify(asked), { headers: { 'Content-Type': type } }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
  });

  it('are refused with 503 without the log, and given when it is there again', async () => {
    await api.node.kill9();
    expectRefusal(await api.send(uploadUrlPath, asked), 503, 'UNAVAILABLE');
    await api.node.restart();
    const until = performance.now() + 15_000;
    let { status } = await api.send(uploadUrlPath, asked);
    while (status === 503 && performance.now() < until) ({ status } = await api.send(uploadUrlPath, asked));
    expect(status).to.equal(200);
  });
});
