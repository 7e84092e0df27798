import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { rawRequest } from '../http/raw-request.fixture.ts';
import { wrongHeaders } from './protective-headers.ts';
import { type Credential, type ServedRoute, type TestServers, openTestServers } from './servers.fixture.ts';

/** The credentials that a route accepts (decisions, section 3). */
const acceptedCredentials: Readonly<Record<string, readonly Credential[]>> = {
  ingest: ['an API key'],
  reporting: ['an API key', 'an access token'],
  viewer: ['the operator token', 'a session'],
  operator: ['the operator token', 'a session'],
  admin: ['the operator token', 'a session'],
};

const mebibyte = 1024 * 1024;
const json = { 'content-type': 'application/json' };

/** Names of components and places that no error may contain. */
const internalNames = /clickhouse|postgres|eventstore|kurrent|nats|express|node_modules|\.[jt]s\b|SELECT|at \w+ \(/i;

describe('every route of every server', function () {
  let servers: TestServers;
  before(async () => (servers = await openTestServers()));
  after(() => servers.close());

  const pathOf = ({ path }: ServedRoute['route']): string =>
    path.replace(/:fileId/, '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11').replace(/:\w+/g, '1');
  const ask = async (served: ServedRoute, headers: Readonly<Record<string, string>>, init: RequestInit = {}) => {
    const answer = await fetch(served.url + pathOf(served.route), {
      method: served.route.method.toUpperCase(),
      redirect: 'manual',
      ...init,
      headers,
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const protectedRoutes = () => servers.routes.filter(({ route }) => acceptedCredentials[route.access]);
  const named = ({ server, route }: ServedRoute, what = '') => `${server} ${route.method} ${route.path} ${what}`;

  const expectRejected = (
    served: ServedRoute,
    answer: Awaited<ReturnType<typeof ask>>,
    status: number,
    code: string,
    what = '',
  ) => {
    expect(answer.status, named(served, what)).to.equal(status);
    expect((JSON.parse(answer.text) as { error: { code: string } }).error.code).to.equal(code);
    expect(answer.text, named(served, what)).to.not.match(internalNames);
    const received = Object.fromEntries(
      ['Content-Security-Policy', 'X-Content-Type-Options', 'Referrer-Policy', 'Cache-Control', 'X-Request-Id'].map(
        (name) => [name, answer.headers.get(name) ?? ''],
      ),
    );
    expect(wrongHeaders({ path: served.route.path, headers: received }), named(served, what)).to.equal(undefined);
    for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'etag'])
      expect(answer.headers.get(name), named(served, name)).to.equal(null);
  };

  it('is known to this test, and public only if it is listed', () => {
    expect(servers.routes.length).to.be.above(60);
    const open = servers.routes.filter(({ route }) => route.access === 'public');
    expect(open.map((served) => `${served.route.method} ${served.route.path}`)).to.have.members([
      'post /oauth/token',
      'get /.well-known/jwks.json',
      // The signed URL is the credential.
      'put /popsvc/v1/uploads/:network/:fileId',
      'post /ops/v1/session',
      'delete /ops/v1/session',
      'get /ops/v1/session/methods',
      'get /ops/v1/session/oidc',
      // The cookie of the browser and the code of the provider are the credential.
      'get /ops/v1/session/oidc/callback',
    ]);
  });

  it('rejects requests without a credential or with one of another kind', async () => {
    let requests = 0;
    for (const served of protectedRoutes()) {
      const { access } = served.route;
      const none = await ask(served, {});
      expectRejected(served, none, 401, 'UNAUTHORIZED', 'without a credential');
      expect(none.headers.get('www-authenticate')).to.match(/^Bearer realm="popsvc"/);
      for (const [kind, headers] of Object.entries(servers.headers) as [Credential, Record<string, string>][]) {
        if (acceptedCredentials[access]!.includes(kind)) continue;
        expectRejected(served, await ask(served, headers), 401, 'UNAUTHORIZED', `with ${kind}`);
        requests += 1;
      }
    }
    expect(requests).to.be.above(120);
  });

  it('rejects a body that is too large, compressed or not, of another type, or invalid JSON', async () => {
    const bomb = gzipSync(Buffer.alloc(33 * mebibyte, ' '));
    let requests = 0;
    for (const served of protectedRoutes().filter(({ route }) => route.body === 'json')) {
      const good = { ...servers.headers[acceptedCredentials[served.route.access]![0]!], ...json };
      const send = (body: string | Buffer, more: Record<string, string> = {}) =>
        ask(served, { ...good, ...more }, { body: body as string });
      expectRejected(served, await send(bomb, { 'content-encoding': 'gzip' }), 413, 'PAYLOAD_TOO_LARGE', 'a bomb');
      expectRejected(
        served,
        await send('{}', { 'content-type': 'text/plain' }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        'no JSON',
      );
      expectRejected(served, await send('['.repeat(100)), 400, 'INVALID_REQUEST', 'deep');
      requests += 1;
    }
    expect(requests).to.be.above(15);
  });

  it('rejects a body by its Content-Length before any of it arrives', async () => {
    const longest = servers.routes.filter(({ route }) => route.body === 'json' && acceptedCredentials[route.access]);
    const answers = longest.map(({ url, route }) => {
      const { access, maxBytes = mebibyte } = route;
      const good = Object.entries({
        ...servers.headers[acceptedCredentials[access]![0]!],
        ...json,
        host: 'x',
        connection: 'close',
      });
      const length = `content-length: ${maxBytes + 1}`;
      const head = [...good.map(([name, value]) => `${name}: ${value}`), length, '', ''].join('\r\n');
      return rawRequest(
        Number(new URL(url).port),
        `${route.method.toUpperCase()} ${pathOf(route)} HTTP/1.1\r\n${head}`,
      );
    });
    for (const answer of await Promise.all(answers)) expect(answer).to.match(/^HTTP\/1\.1 413 /);
  });

  it('answers only the methods that it declares', async () => {
    const known = new Map<string, Set<string>>();
    for (const { url, route } of servers.routes)
      known.set(url + route.path, (known.get(url + route.path) ?? new Set()).add(route.method));
    for (const served of servers.routes)
      for (const method of ['PATCH', 'DELETE', 'POST'])
        if (!known.get(served.url + served.route.path)!.has(method.toLowerCase()))
          expectRejected(
            served,
            await ask(served, servers.headers['the operator token'], { method }),
            405,
            'METHOD_NOT_ALLOWED',
            method,
          );
  });

  it('reached no handler', () => {
    expect(servers.logged).to.deep.equal([]);
  });
});
