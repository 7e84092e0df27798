import { startEndedSessions, createOperatorSessions } from '@popsvc/platform/auth';
import { Secret } from '@popsvc/platform/config';
import { readEndedSessionIds, type Queryable } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { operatorToken, ops, type TestOps } from './ops.fixture.ts';

const log = createLog('test', 'silent');

describe('a session of an operator', () => {
  let system: TestOps;
  before(async () => {
    system = await ops();
  });
  after(() => system.close());

  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    fetch(`${system.baseUrl}/ops/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const logIn = (token = operatorToken, headers: Record<string, string> = {}) =>
    ask('POST', '/session', headers, { token });
  const setCookie = (answer: Response) => answer.headers.get('set-cookie') ?? '';
  const cookieOf = (answer: Response) => ({ cookie: setCookie(answer).split(';')[0] ?? '' });

  it('is opened with the token, in a cookie that no script reads and no other site sends', async () => {
    const answer = await logIn();
    expect([answer.status, await answer.text()]).to.deep.equal([204, '']);
    const [value, ...attributes] = setCookie(answer).split('; ');
    expect(value).to.match(/^popsvc_session=\d{13}\.[\w-]{22}\.[\w-]{43}$/);
    expect(attributes).to.deep.equal(['Path=/', 'Max-Age=43200', 'HttpOnly', 'SameSite=Strict']);
    const shown = (await (await ask('GET', '/session', cookieOf(answer))).json()) as { until: string };
    expect(Date.parse(shown.until)).to.be.closeTo(Date.now() + 12 * 3_600_000, 60_000);
    expect((await ask('GET', '/projections', cookieOf(answer))).status).to.equal(200);
    const bearer = await ask('GET', '/session', { authorization: `Bearer ${operatorToken}` });
    expect(await bearer.json()).to.deep.equal({ until: null });
  });

  it('is Secure where the page came by TLS', async () => {
    for (const headers of [{ 'x-forwarded-proto': 'https' }, { origin: 'https://ops.example.com' }] as const)
      expect(setCookie(await logIn(operatorToken, headers))).to.match(/; Secure$/);
    expect(setCookie(await logIn(operatorToken, { 'x-forwarded-proto': 'http' }))).not.to.include('Secure');
  });

  it('ends, in the browser that has it', async () => {
    const answer = await ask('DELETE', '/session', { ...cookieOf(await logIn()), 'sec-fetch-site': 'same-origin' });
    expect(answer.status).to.equal(204);
    expect(setCookie(answer)).to.match(/^popsvc_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict/);
    expect((await ask('DELETE', '/session')).status, 'without one').to.equal(204);
  });

  it('ends wherever its cookie was copied to, at once here and soon in other processes', async () => {
    const [mine, other] = [cookieOf(await logIn()), cookieOf(await logIn())];
    const elsewhere = startEndedSessions(system.postgres, { log, intervalMs: 20 });
    const there = createOperatorSessions(new Secret(operatorToken), { ended: elsewhere });
    const lasts = ({ cookie }: { cookie: string }) => there.expiresAtMs(cookie.split('=')[1]!) !== undefined;
    expect([mine, other].map(lasts)).to.deep.equal([true, true]);
    const foreign = await ask('DELETE', '/session', { ...mine, 'sec-fetch-site': 'same-site' });
    expect([foreign.status, (await ask('GET', '/session', mine)).status], 'by another page').to.deep.equal([403, 200]);
    expect((await ask('DELETE', '/session', { ...mine, 'sec-fetch-site': 'same-origin' })).status).to.equal(204);
    expect((await ask('GET', '/projections', mine)).status).to.equal(401);
    expect((await ask('GET', '/projections', other)).status).to.equal(200);
    await waitUntil(
      () => Promise.resolve([mine, other].map(lasts)),
      ([first]) => first === false,
    );
    expect(lasts(other)).to.equal(true);
    elsewhere.stop();
  });

  it('ends while PostgreSQL is away, and is written down when that is back', async () => {
    let isAway = true;
    const { postgres } = system;
    const query = ((text: string, values?: unknown[]) =>
      isAway ? Promise.reject(new Error('Connection terminated')) : postgres.query(text, values)) as Queryable['query'];
    const ended = startEndedSessions({ query }, { log, intervalMs: 20 });
    const sessions = createOperatorSessions(new Secret(operatorToken), { ended });
    const { value } = sessions.open(operatorToken)!;
    await sessions.end(value);
    expect(sessions.expiresAtMs(value)).to.equal(undefined);
    isAway = false;
    const written = await waitUntil(
      () => readEndedSessionIds(postgres),
      (ids) => ids.includes(value.split('.')[1]!),
    );
    expect(written.length).to.be.greaterThan(0);
    ended.stop();
  });

  it('changes something only for pages of this server', async () => {
    const session = cookieOf(await logIn());
    const apply = (headers: Record<string, string>) => ask('POST', '/registry', { ...session, ...headers }, {});
    const { host } = new URL(system.baseUrl);
    const own: Record<string, string>[] = [{ 'sec-fetch-site': 'same-origin' }, { origin: `http://${host}` }];
    for (const headers of own) expect((await apply(headers)).status, JSON.stringify(headers)).to.equal(200);
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://elsewhere.example' },
      { origin: 'null' },
      { origin: `http://${host}.elsewhere.example` },
    ];
    for (const headers of foreign) {
      const answer = await apply(headers);
      expect(answer.status, JSON.stringify(headers)).to.equal(403);
      expect(((await answer.json()) as { error: { code: string } }).error.code).to.equal('FORBIDDEN_ORIGIN');
    }
    const bearer = await apply({ cookie: '', authorization: `Bearer ${operatorToken}` });
    expect(bearer.status, 'the token itself').to.equal(200);
  });

  it('is not one that was forged, ran out or belongs to another token', async () => {
    const at = (nowMs: number) =>
      createOperatorSessions(new Secret(operatorToken), { clock: { now: () => nowMs } }).open(operatorToken);
    const good = at(Date.now())!.value;
    const other = createOperatorSessions(new Secret('another-operator-token')).open('another-operator-token')!.value;
    const later = good.replace(/^\d/, '9');
    const flipped = good.slice(0, -1) + (good.endsWith('A') ? 'E' : 'A');
    const old = at(Date.now() - 12 * 3_600_000 - 1_000)!.value;
    for (const value of [later, flipped, old, other, '', 'x', `${Date.now() + 1e6}.`])
      expect((await ask('GET', '/projections', { cookie: `popsvc_session=${value}` })).status, value).to.equal(401);
    expect((await ask('GET', '/projections', { cookie: `a=b; popsvc_session=${good}; c=d` })).status).to.equal(200);
    expect((await ask('GET', '/projections', { cookie: `not_popsvc_session=${good}` })).status).to.equal(401);
    const both = { cookie: `popsvc_session=${good}`, authorization: 'Bearer nonsense' };
    expect((await ask('GET', '/projections', both)).status, 'a wrong token beside it').to.equal(401);
  });

  it('is told in the log when it begins and ends, and so is a wrong token, without the token', async () => {
    const lines: string[] = [];
    const watched = await ops({ log: createLog('test', 'info', { write: (line) => void lines.push(line) }) });
    const post = (token: string) =>
      fetch(`${watched.baseUrl}/ops/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    try {
      await post('a-wrong-token');
      const cookie = cookieOf(await post(operatorToken));
      const headers = { ...cookie, origin: watched.baseUrl };
      await fetch(`${watched.baseUrl}/ops/v1/session`, { method: 'DELETE', headers });
    } finally {
      await watched.close();
    }
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ from }) => from);
    expect(told.map(({ level, msg }) => [level, msg])).to.deep.equal([
      [40, 'wrong operator token'],
      [30, 'operator signed in'],
      [30, 'operator signed out'],
    ]);
    expect(told.every(({ from, request_id: id }) => from === '127.0.0.1' && id !== undefined)).to.equal(true);
    expect(lines.join('')).to.not.include('a-wrong-token').and.not.include(operatorToken);
  });

  it('is not opened by guessing', async () => {
    for (const body of [{}, { token: 7 }, { token: operatorToken, more: 1 }, []])
      expect((await ask('POST', '/session', {}, body)).status).to.equal(400);
    const wrong = await logIn('wrong');
    expect(wrong.status).to.equal(401);
    expect(wrong.headers.get('set-cookie')).to.equal(null);
    await logIn();
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await logIn(`guess-${n}`)).status);
    // The one before counts, and who was let in between is not told from who guesses.
    expect(statuses).to.deep.equal([...Array<number>(9).fill(401), 429, 429]);
    const late = await logIn('one more');
    expect(Number(late.headers.get('retry-after'))).to.be.within(1, 7);
    expect((await logIn()).status, 'who knows it is not kept out by who guesses').to.equal(204);
    expect((await logIn('and again')).status).to.equal(429);
  });
});
