import { startEndedSessions, createOperatorSessions } from '@popsvc/http-kit/auth';
import { Secret } from '@popsvc/platform/config';
import { readEndedSessionIds, type Queryable } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import sinon from 'sinon';
import { waitUntil } from '@popsvc/tools/rig';
import { consoleOrigin, operatorToken, startTestOps, type TestOps } from './ops.fixture.ts';

const log = createLog('test', 'silent');

describe('/ops/v1/session', () => {
  let system: TestOps;
  before(async () => {
    system = await startTestOps();
  });
  after(() => system.close());

  const request = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    fetch(`${system.baseUrl}/ops/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const logIn = (token = operatorToken, headers: Record<string, string> = {}) =>
    request('POST', '/session', headers, { token });
  const setCookie = (response: Response) => response.headers.get('set-cookie') ?? '';
  const cookieOf = (response: Response) => ({ cookie: setCookie(response).split(';')[0] ?? '' });

  it('opens a session with the token, in a cookie that is HttpOnly and SameSite=Strict', async () => {
    const response = await logIn();
    expect([response.status, await response.text()]).to.deep.equal([204, '']);
    const [value, ...attributes] = setCookie(response).split('; ');
    expect(value).to.match(/^popsvc_session=\d{13}\.[\w-]{22}\.[\w-]{43}$/);
    expect(attributes).to.deep.equal(['Path=/', 'Max-Age=43200', 'HttpOnly', 'SameSite=Strict']);
    const shown = (await (await request('GET', '/session', cookieOf(response))).json()) as { until: string };
    expect(Date.parse(shown.until)).to.be.closeTo(Date.now() + 12 * 3_600_000, 60_000);
    expect((await request('GET', '/projections', cookieOf(response))).status).to.equal(200);
    const bearer = await request('GET', '/session', { authorization: `Bearer ${operatorToken}` });
    expect(await bearer.json()).to.deep.equal({ until: null, account: null, role: 'admin' });
  });

  it('sets Secure when the browser uses TLS', async () => {
    for (const headers of [{ 'x-forwarded-proto': 'https' }, { origin: 'https://ops.example.com' }] as const)
      expect(setCookie(await logIn(operatorToken, headers))).to.match(/; Secure$/);
    expect(setCookie(await logIn(operatorToken, { 'x-forwarded-proto': 'http' }))).not.to.include('Secure');
  });

  it('clears the cookie on sign-out', async () => {
    const response = await request('DELETE', '/session', {
      ...cookieOf(await logIn()),
      'sec-fetch-site': 'same-origin',
    });
    expect(response.status).to.equal(204);
    expect(setCookie(response)).to.match(/^popsvc_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict/);
    expect((await request('DELETE', '/session')).status, 'without a session').to.equal(204);
  });

  it('ends all copies of the cookie, at once in this process and soon in others', async () => {
    const [mine, other] = [cookieOf(await logIn()), cookieOf(await logIn())];
    const endedInOther = startEndedSessions(system.postgres, { log, intervalMs: 20 });
    const otherProcess = createOperatorSessions(new Secret(operatorToken), { ended: endedInOther });
    const isActive = ({ cookie }: { cookie: string }) => otherProcess.find(cookie.split('=')[1]!) !== undefined;
    expect([mine, other].map(isActive)).to.deep.equal([true, true]);
    const foreign = await request('DELETE', '/session', { ...mine, 'sec-fetch-site': 'same-site' });
    expect([foreign.status, (await request('GET', '/session', mine)).status], 'from another site').to.deep.equal([
      403, 200,
    ]);
    expect((await request('DELETE', '/session', { ...mine, 'sec-fetch-site': 'same-origin' })).status).to.equal(204);
    expect((await request('GET', '/projections', mine)).status).to.equal(401);
    expect((await request('GET', '/projections', other)).status).to.equal(200);
    await waitUntil(
      () => Promise.resolve([mine, other].map(isActive)),
      ([first]) => first === false,
    );
    expect(isActive(other)).to.equal(true);
    endedInOther.stop();
  });

  it('ends a session while PostgreSQL is down, and stores the end when it answers again', async () => {
    let isDown = true;
    const { postgres } = system;
    const query = ((text: string, values?: unknown[]) =>
      isDown ? Promise.reject(new Error('Connection terminated')) : postgres.query(text, values)) as Queryable['query'];
    const ended = startEndedSessions({ query }, { log, intervalMs: 20 });
    const sessions = createOperatorSessions(new Secret(operatorToken), { ended });
    const { value } = sessions.open(operatorToken)!;
    await sessions.end(value);
    expect(sessions.find(value)).to.equal(undefined);
    isDown = false;
    const written = await waitUntil(
      () => readEndedSessionIds(postgres),
      (ids) => ids.includes(value.split('.')[1]!),
    );
    expect(written.length).to.be.greaterThan(0);
    ended.stop();
  });

  it('accepts changes only from pages of the console, whatever Host says', async () => {
    const session = cookieOf(await logIn());
    const apply = (headers: Record<string, string>) => request('POST', '/registry', { ...session, ...headers }, {});
    const { host } = new URL(system.baseUrl);
    const own: Record<string, string>[] = [{ 'sec-fetch-site': 'same-origin' }, { origin: consoleOrigin }];
    for (const headers of own) expect((await apply(headers)).status, JSON.stringify(headers)).to.equal(200);
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://elsewhere.example' },
      { origin: 'null' },
      { origin: `http://${host}` },
      { origin: `${consoleOrigin}.elsewhere.example` },
    ];
    for (const headers of foreign) {
      const response = await apply(headers);
      expect(response.status, JSON.stringify(headers)).to.equal(403);
      expect(((await response.json()) as { error: { code: string } }).error.code).to.equal('FORBIDDEN_ORIGIN');
    }
    const bearer = await apply({ cookie: '', authorization: `Bearer ${operatorToken}` });
    expect(bearer.status, 'with the operator token').to.equal(200);
  });

  it('rejects forged and expired cookies and those of another token', async () => {
    const at = (nowMs: number) =>
      createOperatorSessions(new Secret(operatorToken), { clock: { now: () => nowMs } }).open(operatorToken);
    const good = at(Date.now())!.value;
    const other = createOperatorSessions(new Secret('another-operator-token')).open('another-operator-token')!.value;
    const later = good.replace(/^\d/, '9');
    const flipped = good.slice(0, -1) + (good.endsWith('A') ? 'E' : 'A');
    const old = at(Date.now() - 12 * 3_600_000 - 1_000)!.value;
    for (const value of [later, flipped, old, other, '', 'x', `${Date.now() + 1e6}.`])
      expect((await request('GET', '/projections', { cookie: `popsvc_session=${value}` })).status, value).to.equal(401);
    expect((await request('GET', '/projections', { cookie: `a=b; popsvc_session=${good}; c=d` })).status).to.equal(200);
    expect((await request('GET', '/projections', { cookie: `not_popsvc_session=${good}` })).status).to.equal(401);
    const both = { cookie: `popsvc_session=${good}`, authorization: 'Bearer nonsense' };
    expect((await request('GET', '/projections', both)).status, 'a valid cookie with a wrong token').to.equal(401);
  });

  it('logs sign-ins, sign-outs and wrong tokens, without the token', async () => {
    const lines: string[] = [];
    const watched = await startTestOps({ log: createLog('test', 'info', { write: (line) => void lines.push(line) }) });
    const post = (token: string) =>
      fetch(`${watched.baseUrl}/ops/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    try {
      await post('a-wrong-token');
      const cookie = cookieOf(await post(operatorToken));
      const headers = { ...cookie, origin: consoleOrigin };
      await fetch(`${watched.baseUrl}/ops/v1/session`, { method: 'DELETE', headers });
    } finally {
      await watched.close();
    }
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ from }) => from);
    expect(entries.map(({ level, msg }) => [level, msg])).to.deep.equal([
      [40, 'operator token rejected'],
      [30, 'operator signed in'],
      [30, 'operator signed out'],
    ]);
    expect(entries.every(({ from, request_id: id }) => from === '127.0.0.1' && id !== undefined)).to.equal(true);
    expect(lines.join('')).to.not.include('a-wrong-token').and.not.include(operatorToken);
  });
});

describe('wrong operator tokens', () => {
  let system: TestOps;
  let clock: sinon.SinonStub;
  beforeEach(async () => {
    system = await startTestOps();
    // The clock of the limits does not move, so that no attempt is forgotten.
    const now = performance.now();
    clock = sinon.stub(performance, 'now').returns(now);
  });
  afterEach(async () => {
    clock.restore();
    await system.close();
  });

  const signIn = (body: unknown) =>
    fetch(`${system.baseUrl}/ops/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const get = async (headers: Record<string, string>) =>
    (await fetch(`${system.baseUrl}/ops/v1/projections`, { headers })).status;
  const getAs = (token: string) => get({ authorization: `Bearer ${token}` });

  it('are limited by address at sign-in; a valid token is always accepted', async () => {
    for (const body of [{}, { token: 7 }, { token: operatorToken, more: 1 }, []])
      expect((await signIn(body)).status).to.equal(400);
    const wrong = await signIn({ token: 'wrong' });
    expect(wrong.status).to.equal(401);
    expect(wrong.headers.get('set-cookie')).to.equal(null);
    await signIn({ token: operatorToken });
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await signIn({ token: `guess-${n}` })).status);
    // The wrong token before counts too; the successful sign-in between does not reset the count.
    expect(statuses).to.deep.equal([...Array<number>(9).fill(401), 429, 429]);
    const limited = await signIn({ token: 'one more' });
    expect(Number(limited.headers.get('retry-after'))).to.be.within(6, 7);
    expect((await signIn({ token: operatorToken })).status, 'the valid token is still accepted').to.equal(204);
    expect((await signIn({ token: 'and again' })).status).to.equal(429);
    expect(await getAs('a bearer token counts in the same limit')).to.equal(429);
  });

  it('are limited by address as bearer tokens; cookies of ended sessions do not count', async () => {
    const ended = createOperatorSessions(new Secret(operatorToken), { clock: { now: () => 0 } }).open(operatorToken)!;
    for (let n = 0; n < 20; n++) expect(await get({ cookie: `popsvc_session=${ended.value}` })).to.equal(401);
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push(await getAs(`guess-${n}`));
    expect(statuses).to.deep.equal([...Array<number>(10).fill(401), 429, 429]);
    expect(await getAs(operatorToken)).to.equal(200);
  });
});
