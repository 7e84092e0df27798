import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { ApiError } from '@popsvc/contracts/errors';
import { allowCompression, jsonResponse, streamResponse } from '@popsvc/http-kit/server';
import { readConfig } from '@popsvc/platform/config';
import { QueryApiConfig } from '@popsvc/query-api/service';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { chromiumPath, launchBrowser } from '../console/console.fixture.ts';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { get, post, serve, type TestServer } from './server.fixture.ts';
import { encryptionKey } from '../support/test-sealer.ts';

const allowed = 'https://player.example.com';
const other = 'https://player.example.com.evil.example';

const routes = [
  get('/things', () => jsonResponse(200, { thing: 1 })),
  get('/varied', () =>
    allowCompression(
      streamResponse(200, { 'Content-Type': 'text/plain', Vary: 'Accept' }, () =>
        Promise.resolve(Readable.from(['x'])),
      ),
    ),
  ),
  get('/busy', () => {
    throw new ApiError('UNAVAILABLE', 'Later.', { retryAfterSeconds: 7 });
  }),
  post('/things', ({ body }) => jsonResponse(202, { got: body })),
];

const corsHeadersOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

describe('http: pages of other origins', () => {
  let at: TestServer;
  let without: TestServer;
  before(async () => {
    [at, without] = await Promise.all([serve(routes, { allowedOrigins: [allowed] }), serve(routes)]);
  });
  after(() => Promise.all([at.server.close(), without.server.close()]));

  const request = (
    path: string,
    origin: string | undefined,
    { method = 'GET', headers = {} }: { method?: string; headers?: Readonly<Record<string, string>> } = {},
    server = at,
  ) => fetch(server.baseUrl + path, { method, headers: { ...headers, ...(origin !== undefined && { origin }) } });
  const preflight = (path: string, origin: string, server = at) =>
    request(
      path,
      origin,
      {
        method: 'OPTIONS',
        headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
      },
      server,
    );

  it('may read responses and errors of allowed origins, without credentials of the browser', async () => {
    for (const path of ['/things', '/varied', '/busy', '/unknown']) {
      const response = await request(path, allowed);
      const headers = corsHeadersOf(response);
      expect(Object.keys(headers).sort(), path).to.deep.equal([
        'access-control-allow-origin',
        'access-control-expose-headers',
      ]);
      expect(headers['access-control-allow-origin'], path).to.equal(allowed);
      const exposed = headers['access-control-expose-headers']!.split(', ');
      expect(exposed).to.include.members(['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy']);
      expect(exposed).to.not.include('Set-Cookie');
      expect(response.headers.get('vary'), path).to.include('Origin');
    }
  });

  it('may send requests after a preflight', async () => {
    const response = await preflight('/things', allowed);
    expect(response.status).to.equal(204);
    const headers = corsHeadersOf(response);
    expect(headers).to.include({
      'access-control-allow-origin': allowed,
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-max-age': '600',
    });
    expect(headers['access-control-allow-headers']!.split(', ')).to.include.members([
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'X-API-Key',
      'X-Network-Name',
    ]);
    expect(headers).to.not.have.property('access-control-allow-credentials');
  });

  it('get no permission from other origins, and none at all by default', async () => {
    for (const origin of [other, 'null', 'https://player.example.com:8443', 'http://player.example.com'])
      for (const response of [await request('/things', origin), await preflight('/things', origin)]) {
        expect(corsHeadersOf(response), origin).to.deep.equal({});
        expect(response.headers.get('vary'), origin).to.equal('Origin');
      }
    expect(corsHeadersOf(await request('/things', undefined))).to.deep.equal({});
    for (const response of [
      await request('/things', allowed, {}, without),
      await preflight('/things', allowed, without),
    ]) {
      expect(corsHeadersOf(response)).to.deep.equal({});
      expect(response.headers.get('vary')).to.equal(null);
    }
  });

  it('may not read probes and metrics', async () => {
    for (const path of ['/metrics', '/healthz', '/readyz', '/metrics?x'])
      expect(corsHeadersOf(await request(path, allowed)), path).to.deep.equal({});
  });

  it('does not lose other variations of a response', async () => {
    expect((await request('/varied', allowed)).headers.get('vary')).to.equal('Accept, Origin, Accept-Encoding');
  });

  it('are listed by CORS_ALLOW_ORIGINS, which accepts only origins', () => {
    const env = {
      CLICKHOUSE_URL: 'http://localhost/x',
      CLICKHOUSE_USER: 'u',
      CLICKHOUSE_PASSWORD: 'p',
      DATABASE_URL: 'postgres://localhost/x',
      POPSVC_ENCRYPTION_KEY: encryptionKey,
    };
    const originsOf = (text: string) =>
      readConfig(QueryApiConfig, { ...env, CORS_ALLOW_ORIGINS: text }).CORS_ALLOW_ORIGINS;
    expect(originsOf(`${allowed}, http://localhost:3000`)).to.deep.equal([allowed, 'http://localhost:3000']);
    expect(originsOf('')).to.equal(undefined);
    for (const text of ['*', 'null', `${allowed}/`, `${allowed}/path`, 'player.example.com', `${allowed},`, 'ftp://x'])
      expect(() => originsOf(text), text).to.throw(/CORS_ALLOW_ORIGINS/);
  });

  describeIfInstalled('chromium', chromiumPath !== undefined, 'in a browser', function () {
    let browser: Browser;
    let pages: Server;
    let api: TestServer;
    let pageUrl: string;
    before(async () => {
      pages = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<title>page</title>'));
      pages.listen(0, '127.0.0.1');
      await once(pages, 'listening');
      pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
      [browser, api] = await Promise.all([launchBrowser(), serve(routes, { allowedOrigins: [pageUrl] })]);
    });
    after(async () => {
      await browser.close();
      pages.close();
      await api.server.close();
    });

    it('a page of an allowed origin sends a key and reads the response; another page does not', async () => {
      const page = await browser.newPage();
      const post = `fetch('${api.baseUrl}/things', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
        body: '{"a":1}',
      }).then(async (response) => [response.status, await response.json(), response.headers.has('x-request-id')])
        .catch((error) => error.name)`;
      await page.goto(`${pageUrl}/`);
      expect(await page.evaluate(post)).to.deep.equal([202, { got: { a: 1 } }, true]);
      await page.goto(`${pageUrl.replace('127.0.0.1', 'localhost')}/`);
      expect(await page.evaluate(post)).to.equal('TypeError');
    });
  });
});
