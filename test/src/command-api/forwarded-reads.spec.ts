import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { requestEventStatus } from '../query-api/event-status.fixture.ts';
import { rawRequest } from '../http/raw-request.fixture.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';

/** A fake query-api that records requests and can send broken responses. */
const standIn = async () => {
  let answer: RequestListener = (_, response) => response.end();
  const server: Server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    answers: (next: RequestListener) => void (answer = next),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};

const feedback = {
  eventId: 'x',
  status: 'accepted',
  counts: { received: 1, stored: 1, duplicate: 0, conflict: 0, quarantined: 0 },
  receipts: [],
  unresolved: [],
  coffeeRows: 0,
  popTypes: [],
  projectedAt: null,
};

const noDifferences = { equal: 1, differences: [], differenceCount: 0 };

const inJson: RequestListener = (_, response) => {
  response.writeHead(200, {
    'content-type': 'application/json',
    'x-data-as-of': '2026-08-20T14:00:00.000Z',
    ratelimit: '"requests";r=7;t=7',
  });
  response.end(JSON.stringify(feedback));
};

describe('command-api: forwarding of requests to query-api', function () {
  let api: TestCommandApi;
  let other: Awaited<ReturnType<typeof standIn>>;
  let key: string;
  before(async () => {
    other = await standIn();
    // A base URL with a path, as behind a gateway.
    api = await commandApi({ queryApiUrl: `${other.url}/reports/` });
    key = (await api.newKey()).apiKey;
  });
  after(async () => {
    other.close();
    await api.close();
  });
  const ask = (id: string, headers: Readonly<Record<string, string>> = { 'x-api-key': key }, query = '') =>
    requestEventStatus(api.baseUrl, id, headers, query);
  const expectUnavailable = async () => {
    const { status, headers, body } = await ask('x');
    expect([status, body.error?.code]).to.deep.equal([503, 'UNAVAILABLE']);
    expect(headers['retry-after']).to.match(/^[1-9]\d*$/);
  };

  it('sends each response header once, with its own security headers', async () => {
    other.answers((_, response) => {
      const theirs = {
        'cache-control': 'max-age=9',
        'content-security-policy': 'default-src *',
        'x-data-as-of': 'then',
      };
      response.writeHead(200, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', ...theirs });
      response.end(JSON.stringify(feedback));
    });
    const request = `GET /popsvc/v1/pop/events/x HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`;
    const answer = await rawRequest(Number(new URL(api.baseUrl).port), request);
    const [head = ''] = answer.split('\r\n\r\n');
    const names = [...head.matchAll(/^([\w-]+): /gm)].map(([, name = '']) => name.toLowerCase());
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
    expect(head)
      .to.match(/^cache-control: no-store\r$/im)
      .and.match(/^content-security-policy: default-src 'none'/im);
    expect(head).to.match(/^x-data-as-of: then\r?$/im);
  });

  it('forwards the credential, the path and the request id', async () => {
    const seen: Parameters<RequestListener>[0][] = [];
    other.answers((request, response) => {
      seen.push(request);
      inJson(request, response);
    });
    const { status, headers, body } = await ask(
      'a/b ..',
      { 'x-api-key': key, 'x-request-id': 'mine-1', cookie: 'a=b' },
      '?p=1&p=%262',
    );
    expect([status, body.eventId]).to.deep.equal([200, 'x']);
    expect(headers).to.include({ 'x-data-as-of': '2026-08-20T14:00:00.000Z', 'x-request-id': 'mine-1' });
    expect(headers['ratelimit']).to.match(/^"requests";r=\d+;t=\d+, "events";r=\d+;t=\d+$/);
    expect(seen[0]?.url).to.equal('/reports/popsvc/v1/pop/events/a%2Fb%20..?p=1&p=%262');
    expect(seen[0]?.headers).to.include({ 'x-api-key': key, 'x-request-id': 'mine-1' });
    expect(seen[0]?.headers).to.not.have.property('cookie');
    await ask('x', { authorization: `Bearer ${key}` });
    expect(seen[1]?.headers).to.include({ authorization: `Bearer ${key}` });
  });

  it('forwards the body of a comparison, decompressed', async () => {
    const seen: string[] = [];
    other.answers((request, response) => {
      let text = `${request.method} ${request.url} ${request.headers['content-type']} `;
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        seen.push(text);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ status: true, message: 'plays compared', data: noDifferences }));
      });
    });
    const body = '{"from": "any"}';
    for (const [content, headers] of [
      [body, {}],
      [gzipSync(body), { 'content-encoding': 'gzip' }],
    ] as const)
      await fetch(`${api.baseUrl}/popsvc/v1/pop/reconcile`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        body: content,
      });
    const forwarded = `POST /reports/popsvc/v1/pop/reconcile application/json ${body}`;
    expect(seen).to.deep.equal([forwarded, forwarded]);
  });

  it('forwards an error response', async () => {
    other.answers((_, response) => {
      response.writeHead(429, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '7' });
      const error = { code: 'RATE_LIMITED', details: [] };
      response.end(JSON.stringify({ status: false, message: 'Later.', error, request_id: 'theirs' }));
    });
    const { status, headers, body } = await ask('x');
    expect([status, body.error?.code, headers['retry-after']]).to.deep.equal([429, 'RATE_LIMITED', '7']);
  });

  it('does not forward requests with an invalid key', async () => {
    let forwarded = 0;
    other.answers((request, response) => {
      forwarded += 1;
      inJson(request, response);
    });
    expect((await ask('x', {})).status).to.equal(401);
    expect((await ask('x', { 'x-api-key': 'acme_sk_nothing' })).status).to.equal(401);
    expect(forwarded).to.equal(0);
  });

  it('retries when query-api closed a kept-alive connection', async () => {
    let connections = 0;
    other.answers((request, response) => {
      const { socket } = request as unknown as { socket: { requests?: number; resetAndDestroy(): void } };
      socket.requests = (socket.requests ?? 0) + 1;
      if (socket.requests === 1) connections += 1;
      if (socket.requests > 1) socket.resetAndDestroy();
      else inJson(request, response);
    });
    for (let round = 0; round < 5; round++) expect((await ask('x')).status).to.equal(200);
    expect(connections).to.be.above(2);
  });

  it('responds 503 to responses of proxies, to broken and missing responses, and without query-api', async () => {
    other.answers((_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'));
    await expectUnavailable();
    other.answers((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{');
      setTimeout(() => response.destroy(), 20);
    });
    await expectUnavailable();
    // The timeout must survive a garbage collection.
    other.answers(() => void setTimeout(collectGarbage, 200));
    await expectUnavailable();
    other.close();
    await expectUnavailable();
  });
});
