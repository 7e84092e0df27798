// cspell:ignore fetc
import { connect } from 'node:net';
import { Secret } from '@popsvc/platform/config';
import { expect } from 'chai';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, sender } from './sender.fixture.ts';
import { addressFor, filesIn, ndjson, rows, upload } from './upload.fixture.ts';

const refused = ({ status, body }: Awaited<ReturnType<typeof upload>>, due: number, code: string) =>
  expect({ status, code: body.error?.code }).to.deep.equal({ status: due, code });

describe('command-api: signed upload URLs', function () {
  let api: TestCommandApi;
  let now = Date.now();
  before(async () => {
    api = await commandApi({ clock: { now: () => now } });
  });
  beforeEach(() => (now = Date.now()));
  after(() => api.close());
  const eventsOf = async (fileId: string) => (await api.events(`upload-${fileId}`)).map(({ type }) => type);
  const lies = (fileId: string) => filesIn(api.uploadsDir).filter((path) => path.includes(fileId));

  const other = '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11';
  const tampered: readonly (readonly [string, (url: string) => string])[] = [
    ['of another file', (url) => url.replace(/[0-9a-f-]{36}/, other)],
    ['of another network', (url) => url.replace('/uploads/1/', '/uploads/2/')],
    ['for another format', (url) => url.replace('format=ndjson', 'format=csv')],
    ['that lasts longer', (url) => url.replace(/expires=(\d+)/, (_, ms: string) => `expires=${Number(ms) + 1}`)],
    [
      'with a signature that was changed',
      (url) => url.replace(/signature=(.)/, (_, one) => `signature=${one === 'A' ? 'B' : 'A'}`),
    ],
    ['with a signature cut short', (url) => url.slice(0, -1)],
    ['with a signature that goes on', (url) => `${url}A`],
    ['whose last character has other bits that do not count', (url) => url.slice(0, -1) + sameBits(url.at(-1)!)],
    ['without a signature', (url) => url.replace(/&signature=.*/, '')],
    ['with an empty signature', (url) => url.replace(/signature=.*/, 'signature=')],
    ['without an end', (url) => url.replace(/&expires=\d+/, '')],
    ['with a parameter more', (url) => `${url}&x=1`],
    ['with a parameter twice', (url) => `${url}&format=ndjson`],
    ['with a parameter twice, the other first', (url) => url.replace('?', '?format=csv&')],
    ['with its parameters in another order', (url) => url.replace(/\?(format=\w+)&(expires=\d+)/, '?$2&$1')],
    ['with an end that is written otherwise', (url) => url.replace('expires=', 'expires=0')],
    ['with a path that is encoded', (url) => url.replace('/uploads/1/', '/uploads/%31/')],
    ['with a path that is encoded twice', (url) => url.replace('/uploads/1/', '/uploads/%2531/')],
    ['with a query that is encoded', (url) => url.replace('format=n', 'format=%6e')],
    ['with an id in capitals', (url) => url.replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase())],
    ['with a semicolon', (url) => url.replace('&expires', ';expires')],
  ];
  /** Another character with the same first four bits: 43 characters of base64url have two bits more than the signature. */
  const sameBits = (last: string) => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return alphabet[alphabet.indexOf(last) ^ 1]!;
  };
  for (const [what, change] of tampered)
    it(`responds 403 to URLs ${what}`, async () => {
      const { uploadUrl, fileId } = await addressFor(api.send);
      const url = change(uploadUrl);
      expect(url).to.not.equal(uploadUrl);
      refused(await upload(url), 403, 'FORBIDDEN');
      expect(await eventsOf(fileId)).to.deep.equal(['UploadRequested']);
      expect(lies(fileId)).to.deep.equal([]);
    });

  for (const [what, path] of [
    ['above', '/popsvc/v1/uploads/1/../2/x'],
    ['above, encoded', '/popsvc/v1/uploads/1/%2e%2e'],
    ['above, encoded twice', '/popsvc/v1/uploads/1/%252e%252e%252fetc'],
  ] as const)
    it(`reaches no file with a path that leads ${what}`, async () => {
      const { port, search } = new URL((await addressFor(api.send)).uploadUrl);
      const socket = connect(Number(port), '127.0.0.1');
      const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
      socket.write(`PUT ${path}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${ndjson}\r\nContent-Length: 1\r\n\r\nx`);
      expect(await answer).to.match(/^HTTP\/1\.1 40[34] /);
      socket.destroy();
    });

  it('accepts only PUT', async () => {
    const { uploadUrl } = await addressFor(api.send);
    const reply = await sender('')(uploadUrl, 'x', { headers: { 'Content-Type': ndjson } });
    expectApiError(reply, 405, 'METHOD_NOT_ALLOWED');
    expect(reply.headers.get('allow')).to.equal('PUT, OPTIONS');
    expectApiError(await sender('')(uploadUrl, '', { method: 'GET' }), 405, 'METHOD_NOT_ALLOWED');
  });

  it('accepts a file until the URL expires', async () => {
    const { uploadUrl } = await addressFor(api.send, { expiresInSeconds: 60 });
    const given = now;
    now = given + 59_999;
    expect((await upload(uploadUrl)).status).to.equal(200);
    now = given + 60_000;
    refused(await upload(uploadUrl), 403, 'FORBIDDEN');
  });

  it('accepts URLs signed with the previous key while that key is configured', async () => {
    const keys = ['new', 'old', 'other'].map((name) => new Secret(name.repeat(12)));
    const old = await commandApi({ uploads: { secrets: [keys[1]!] } });
    const address = await addressFor(old.send);
    for (const [secrets, status] of [
      [[keys[0]!, keys[1]!], 403],
      [[keys[0]!, keys[2]!], 403],
      [[keys[1]!], 403],
    ] as const) {
      const next = await commandApi({ uploads: { secrets } });
      const url = new URL(address.uploadUrl);
      url.port = new URL(next.baseUrl).port;
      // This service's event store does not have the upload. The content type, checked after the signature, shows that the signature is valid.
      const { status: actual } = await upload(url.href, rows, { 'Content-Type': 'text/csv' });
      expect(actual).to.equal(secrets.includes(keys[1]!) ? 415 : status);
      refused(await upload(url.href), 403, 'FORBIDDEN');
      await next.close();
    }
    await old.close();
  });
});
