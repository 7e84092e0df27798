import { EventEmitter, once } from 'node:events';
import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, rawResponse } from '@popsvc/http-kit/server';
import { popsvcVersion } from '@popsvc/platform/runtime';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { rawRequest } from './raw-request.fixture.ts';
import { get, post, serve, type TestServer } from './server.fixture.ts';

interface ErrorBody {
  readonly status: boolean;
  readonly message: string;
  readonly error: { readonly code: string; readonly details: unknown };
  readonly request_id: string;
}

describe('http: routing and responses', () => {
  let at: TestServer;
  const arrived = new EventEmitter();
  before(async () => {
    at = await serve([
      get('/things/:id', ({ params, query }) => jsonResponse(200, { params, query })),
      get('/text', () => rawResponse(200, 'text/plain; charset=utf-8', 'grün', { 'Cache-Control': 'max-age=5' })),
      get('/boom', () => {
        throw new Error('secret of the inside');
      }),
      get('/busy', () => {
        throw new ApiError('UNAVAILABLE', 'Later.', { retryAfterSeconds: 7 });
      }),
      get('/slow', async ({ signal }) => {
        const left = once(signal, 'abort');
        arrived.emit('slow');
        await left;
        throw new ApiError('UNAVAILABLE', 'The store was stopped.', { cause: new Error('aborted') });
      }),
      post('/things', ({ body }) => jsonResponse(201, { got: body })),
      post('/form', ({ body }) => jsonResponse(200, { ...(body as object) }), { body: 'form' }),
      post('/own-errors', () => jsonResponse(200, {}), {
        body: 'form',
        renderError: ({ code }) => jsonResponse(400, { error: code }),
      }),
    ]);
  });
  after(() => at.server.close());

  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(at.baseUrl + path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
  const refused = async (path: string, init?: RequestInit) => {
    const { status, headers, text } = await ask(path, init);
    const body = JSON.parse(text) as ErrorBody;
    expect(Object.keys(body).sort()).to.deep.equal(['error', 'message', 'request_id', 'status']);
    return { status, headers, code: body.error.code, body };
  };

  it('passes decoded path parameters, and query parameters with repeated ones as lists', async () => {
    const { text } = await ask('/things/a%2Fb?x=1&x=2&y=%C3%A9+z&__proto__=1&flag');
    expect(JSON.parse(text)).to.deep.equal({
      params: { id: 'a/b' },
      query: JSON.parse('{"x":["1","2"],"y":"é z","__proto__":"1","flag":""}') as unknown,
    });
  });

  it('sends the protective headers with every response, and no header that names the implementation', async () => {
    for (const path of ['/text', '/boom', '/nowhere', '/healthz']) {
      const { headers } = await ask(path);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy')).to.include("default-src 'none'");
      expect(headers.get('x-powered-by')).to.equal(null);
      expect(headers.get('cache-control')).to.equal(path === '/text' ? 'max-age=5' : 'no-store');
    }
  });

  it('says its version without credentials', async () => {
    const { status, text } = await ask('/version');
    expect([status, JSON.parse(text)]).to.deep.equal([200, { version: popsvcVersion }]);
  });

  it('returns a valid X-Request-Id and replaces an invalid one', async () => {
    for (const id of ['abc-1', 'a'.repeat(128), '0af7651916cd43dd8448eb211c80319c', 'till_sk_7'])
      expect((await ask('/text', { headers: { 'X-Request-Id': id } })).headers.get('x-request-id')).to.equal(id);
    const credentials = [`acme_sk_${'0'.repeat(36)}`, `popsvc_cs_${'d'.repeat(43)}`];
    for (const id of ['a b', '<script>', 'a'.repeat(129), '', ...credentials])
      expect((await ask('/text', { headers: { 'X-Request-Id': id } })).headers.get('x-request-id')).to.match(
        /^[0-9a-f-]{36}$/,
      );
    const { body } = await refused('/nowhere', { headers: { 'X-Request-Id': 'mine' } });
    expect(body.request_id).to.equal('mine');
  });

  it('responds 404 to unknown paths with any method, also with another case or an additional slash', async () => {
    for (const [path, method] of [
      ['/nowhere', 'GET'],
      ['/nowhere', 'POST'],
      ['/Text', 'GET'],
      ['/text/', 'GET'],
      ['/', 'PUT'],
    ] as const)
      expect(await refused(path, { method })).to.include({ status: 404, code: 'NOT_FOUND' });
    const { body } = await refused('/nowhere');
    expect(body.message).to.include('/docs lists all endpoints');
  });

  it('responds 405 to other methods with the allowed ones', async () => {
    const known = await refused('/text', { method: 'DELETE' });
    expect(known).to.include({ status: 405, code: 'METHOD_NOT_ALLOWED' });
    expect(known.headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
    expect((await refused('/things')).headers.get('allow')).to.equal('POST, OPTIONS');
  });

  it('answers HEAD like GET without the body, and OPTIONS with the allowed methods', async () => {
    const head = await ask('/text', { method: 'HEAD' });
    expect({ status: head.status, text: head.text, length: head.headers.get('content-length') }).to.deep.equal({
      status: 200,
      text: '',
      length: '5',
    });
    const options = await ask('/things/1', { method: 'OPTIONS' });
    expect({ status: options.status, allow: options.headers.get('allow') }).to.deep.equal({
      status: 204,
      allow: 'GET, HEAD, OPTIONS',
    });
    expect(options.headers.get('access-control-allow-origin')).to.equal(null);
  });

  it('responds 400 to a path with invalid encoding, and counts the request', async () => {
    expect(await refused('/things/%E0%A4%A')).to.include({ status: 400, code: 'INVALID_PARAM' });
    const { text } = await ask('/metrics');
    expect(text).to.match(/popsvc_http_requests_total\{route="none",method="GET",status="400",.*\} 1\n/);
    expect(text).to.match(/popsvc_http_refusals_total\{route="none",code="INVALID_PARAM",.*\} 1\n/);
  });

  it('hides internal errors, and logs them with the request id', async () => {
    const { status, code, body } = await refused('/boom', { headers: { 'X-Request-Id': 'boom-1' } });
    expect({ status, code }).to.deep.equal({ status: 500, code: 'INTERNAL' });
    expect(JSON.stringify(body)).to.not.match(/secret|stack|\.ts|\.js/);
    expect(at.logged.filter((line) => line.includes('secret of the inside') && line.includes('boom-1'))).to.have.length(
      1,
    );
  });

  it('logs no error when the caller disconnects', async () => {
    const leaving = new AbortController();
    const reached = once(arrived, 'slow');
    const request = ask('/slow', { signal: leaving.signal }).catch((error: unknown) => (error as Error).name);
    await reached;
    leaving.abort();
    expect(await request).to.equal('AbortError');
    const logLine = await waitUntil(
      () => Promise.resolve(at.logged.find((line) => line.includes('The store was stopped'))),
      (line) => line !== undefined,
    );
    expect(JSON.parse(logLine!)).to.include({ level: 20, msg: 'caller disconnected before the response' });
  });

  it('sends Retry-After with 503', async () => {
    const { status, headers } = await refused('/busy');
    expect({ status, after: headers.get('retry-after') }).to.deep.equal({ status: 503, after: '7' });
  });

  it('reads forms, and lets an endpoint render errors itself', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await ask('/form', { method: 'POST', headers, body: 'a=1&a=2&b=%20' })).text).to.equal(
      '{"a":["1","2"],"b":" "}',
    );
    const own = await ask('/own-errors', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(own).to.include({ status: 400, text: '{"error":"UNSUPPORTED_MEDIA_TYPE"}' });
  });

  it('answers invalid HTTP and oversized headers in the same format', async () => {
    const nonsense = await rawRequest(at.port, 'HELLO\r\n\r\n');
    expect(nonsense).to.match(/^HTTP\/1\.1 400 /);
    expect(nonsense).to.include('"code":"INVALID_REQUEST"');
    const large = await rawRequest(at.port, `GET /text HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`);
    expect(large).to.match(/^HTTP\/1\.1 431 /);
    const twice = await rawRequest(
      at.port,
      'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    );
    expect(twice).to.match(/^HTTP\/1\.1 400 /);
    const smuggled = await rawRequest(
      at.port,
      'POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    expect(smuggled).to.match(/^HTTP\/1\.1 400 /);
  });

  it('keeps a connection usable after it rejected an unread body', async () => {
    const body = 'x'.repeat(200_000);
    const requests = `POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}GET /text HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const answers = await rawRequest(at.port, requests);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 415', 'HTTP/1.1 200']);
  });
});
