import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { streamResponse } from '@popsvc/http-kit/server';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { rawRequest } from './raw-request.fixture.ts';
import { get, serve, type TestServer } from './server.fixture.ts';

const csv = { 'Content-Type': 'text/csv; charset=utf-8' };

describe('http: streamed responses', () => {
  let at: TestServer;
  let opened = 0;
  const closed: string[] = [];
  let isOpen = false;
  const endless = (name: string) =>
    Readable.from(
      (async function* () {
        try {
          for (;;) {
            isOpen = true;
            yield Buffer.alloc(65_536, 0x61);
            await sleep(1);
          }
        } finally {
          closed.push(name);
        }
      })(),
    );
  before(async () => {
    at = await serve([
      get('/whole', () =>
        streamResponse(200, csv, () => {
          opened++;
          return Readable.from(['a\r\n', 'b\r\n']);
        }),
      ),
      get('/empty', () => streamResponse(200, csv, () => Readable.from([]))),
      get('/refused', () =>
        streamResponse(200, csv, () => {
          throw new ApiError('UNAVAILABLE', 'Not now.');
        }),
      ),
      get('/early', () =>
        streamResponse(200, csv, () => {
          const source = new Readable({ read: () => undefined });
          setTimeout(() => source.destroy(new Error('broke before the first byte')), 5);
          return source;
        }),
      ),
      get('/cut', () =>
        streamResponse(200, csv, () =>
          Readable.from(
            (async function* () {
              yield 'a\r\n';
              await sleep(20);
              throw new Error('broke midway');
            })(),
          ),
        ),
      ),
      get('/vanished', () =>
        streamResponse(200, csv, () => {
          const source = new Readable({ read: () => undefined });
          source.push('a\r\n');
          setTimeout(() => source.destroy(), 20);
          return source;
        }),
      ),
      get('/endless', () => streamResponse(200, csv, () => endless('endless'))),
      get('/slow-to-open', () =>
        streamResponse(200, csv, async (signal) => {
          isOpen = true;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          closed.push('slow-to-open');
          return endless('never read');
        }),
      ),
    ]);
  });
  after(() => at.server.close());

  it('passes bytes on as they arrive', async () => {
    const response = await fetch(`${at.baseUrl}/whole`);
    expect({ type: response.headers.get('content-type'), text: await response.text() }).to.deep.equal({
      type: 'text/csv; charset=utf-8',
      text: 'a\r\nb\r\n',
    });
    const empty = await fetch(`${at.baseUrl}/empty`);
    expect({ status: empty.status, text: await empty.text() }).to.deep.equal({ status: 200, text: '' });
  });

  it('does not open the source for HEAD', async () => {
    const before = opened;
    const response = await fetch(`${at.baseUrl}/whole`, { method: 'HEAD' });
    expect({ status: response.status, type: response.headers.get('content-type') }).to.deep.equal({
      status: 200,
      type: 'text/csv; charset=utf-8',
    });
    expect(opened).to.equal(before);
  });

  for (const [path, status, code] of [
    ['/refused', 503, 'UNAVAILABLE'],
    ['/early', 500, 'INTERNAL'],
  ] as const)
    it(`responds ${code} when the source fails before the first byte (${path})`, async () => {
      const response = await fetch(at.baseUrl + path);
      expect(response.status).to.equal(status);
      expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(((await response.json()) as { error: { code: string } }).error.code).to.equal(code);
    });

  for (const path of ['/cut', '/vanished'])
    it(`breaks the connection when the source fails midway (${path})`, async () => {
      const response = await fetch(at.baseUrl + path);
      expect(response.status).to.equal(200);
      const outcome = await response.text().then(
        () => 'looked whole',
        () => 'broken',
      );
      expect(outcome).to.equal('broken');
      const bytes = await rawRequest(at.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(bytes)
        .to.include('a\r\n')
        .and.to.not.match(/\r\n0\r\n\r\n$/);
    });

  it('logs an error midway', () => {
    expect(at.logged.some((line) => line.includes('broke midway'))).to.equal(true);
  });

  for (const path of ['/endless', '/slow-to-open'])
    it(`closes the source when the caller disconnects (${path})`, async () => {
      [closed.length, isOpen] = [0, false];
      const leave = new AbortController();
      const request = fetch(at.baseUrl + path, { signal: leave.signal }).then((response) => response.text());
      await waitUntil(() => Promise.resolve(isOpen), Boolean);
      leave.abort();
      await request.catch(() => undefined);
      await waitUntil(
        () => Promise.resolve(closed),
        ({ length }) => length > 0,
      );
      expect(closed).to.deep.equal([path.slice(1)]);
    });
});
