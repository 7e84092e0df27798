import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { rawRequest } from '../http/raw-request.fixture.ts';
import { wrongHeaders } from './wrong-headers.ts';
import { type Credential, type Door, type Doors, openDoors } from './doors.fixture.ts';

/** Whom a route lets in (decisions, section 3). */
const letIn: Readonly<Record<string, readonly Credential[]>> = {
  ingest: ['an API key'],
  reporting: ['an API key', 'an access token'],
  operator: ['the operator token', 'a session'],
};

const mebibyte = 1024 * 1024;
const json = { 'content-type': 'application/json' };

/** Told of by no error: what the service is made of, and where it stands. */
const inside = /clickhouse|postgres|eventstore|kurrent|nats|express|node_modules|\.[jt]s\b|SELECT|at \w+ \(/i;

describe('every route of every server', function () {
  this.timeout(60_000);
  let opened: Doors;
  before(async () => (opened = await openDoors()));
  after(() => opened.close());

  const pathOf = ({ path }: Door['route']): string =>
    path.replace(/:fileId/, '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11').replace(/:\w+/g, '1');
  const ask = async (door: Door, headers: Readonly<Record<string, string>>, init: RequestInit = {}) => {
    const answer = await fetch(door.url + pathOf(door.route), {
      method: door.route.method.toUpperCase(),
      redirect: 'manual',
      ...init,
      headers,
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const guarded = () => opened.doors.filter(({ route }) => letIn[route.access]);
  const named = ({ server, route }: Door, what = '') => `${server} ${route.method} ${route.path} ${what}`;

  const expectRefused = (
    door: Door,
    answer: Awaited<ReturnType<typeof ask>>,
    status: number,
    code: string,
    what = '',
  ) => {
    expect(answer.status, named(door, what)).to.equal(status);
    expect((JSON.parse(answer.text) as { error: { code: string } }).error.code).to.equal(code);
    expect(answer.text, named(door, what)).to.not.match(inside);
    const told = Object.fromEntries(
      ['Content-Security-Policy', 'X-Content-Type-Options', 'Referrer-Policy', 'Cache-Control', 'X-Request-Id'].map(
        (name) => [name, answer.headers.get(name) ?? ''],
      ),
    );
    expect(wrongHeaders({ path: door.route.path, headers: told }), named(door, what)).to.equal(undefined);
    for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'etag'])
      expect(answer.headers.get(name), named(door, name)).to.equal(null);
  };

  it('is there, and public only where that is known', () => {
    expect(opened.doors.length).to.be.above(60);
    const open = opened.doors.filter(({ route }) => route.access === 'public');
    expect(open.map((door) => `${door.route.method} ${door.route.path}`)).to.have.members([
      'post /oauth/token',
      'get /.well-known/jwks.json',
      // The address is the credential.
      'put /popsvc/v1/uploads/:network/:fileId',
      'post /ops/v1/session',
      'delete /ops/v1/session',
    ]);
  });

  it("lets nobody in without a credential, or with somebody else's kind of one", async () => {
    let asked = 0;
    for (const door of guarded()) {
      const { access } = door.route;
      const none = await ask(door, {});
      expectRefused(door, none, 401, 'UNAUTHORIZED', 'without a credential');
      expect(none.headers.get('www-authenticate')).to.match(/^Bearer realm="popsvc"/);
      for (const [kind, headers] of Object.entries(opened.headers) as [Credential, Record<string, string>][]) {
        if (letIn[access]!.includes(kind)) continue;
        expectRefused(door, await ask(door, headers), 401, 'UNAUTHORIZED', `with ${kind}`);
        asked += 1;
      }
    }
    expect(asked).to.be.above(120);
  });

  it('takes no body that is too long, packed or not, of another type, or no JSON', async () => {
    const bomb = gzipSync(Buffer.alloc(33 * mebibyte, ' '));
    let asked = 0;
    for (const door of guarded().filter(({ route }) => route.body === 'json')) {
      const good = { ...opened.headers[letIn[door.route.access]![0]!], ...json };
      const send = (body: string | Buffer, more: Record<string, string> = {}) =>
        ask(door, { ...good, ...more }, { body: body as string });
      expectRefused(door, await send(bomb, { 'content-encoding': 'gzip' }), 413, 'PAYLOAD_TOO_LARGE', 'a bomb');
      expectRefused(door, await send('{}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE', 'no JSON');
      expectRefused(door, await send('['.repeat(100)), 400, 'INVALID_REQUEST', 'deep');
      asked += 1;
    }
    expect(asked).to.be.above(15);
  });

  it('refuses a body by the length it tells, before a byte of it came', async () => {
    const longest = opened.doors.filter(({ route }) => route.body === 'json' && letIn[route.access]);
    const answers = longest.map(({ url, route }) => {
      const { access, maxBytes = mebibyte } = route;
      const good = Object.entries({ ...opened.headers[letIn[access]![0]!], ...json, host: 'x', connection: 'close' });
      const length = `content-length: ${maxBytes + 1}`;
      const head = [...good.map(([name, value]) => `${name}: ${value}`), length, '', ''].join('\r\n');
      return rawRequest(
        Number(new URL(url).port),
        `${route.method.toUpperCase()} ${pathOf(route)} HTTP/1.1\r\n${head}`,
      );
    });
    for (const answer of await Promise.all(answers)) expect(answer).to.match(/^HTTP\/1\.1 413 /);
  });

  it('has no method that it does not tell of', async () => {
    const known = new Map<string, Set<string>>();
    for (const { url, route } of opened.doors)
      known.set(url + route.path, (known.get(url + route.path) ?? new Set()).add(route.method));
    for (const door of opened.doors)
      for (const method of ['PATCH', 'DELETE', 'POST'])
        if (!known.get(door.url + door.route.path)!.has(method.toLowerCase()))
          expectRefused(
            door,
            await ask(door, opened.headers['the operator token'], { method }),
            405,
            'METHOD_NOT_ALLOWED',
            method,
          );
  });

  it('let nobody come as far as what is behind it', () => {
    expect(opened.logged).to.deep.equal([]);
  });
});
