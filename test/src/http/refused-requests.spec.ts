import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, RefusedRequests } from '@popsvc/http-kit/server';
import { type Authenticate, unauthorized } from '@popsvc/http-kit/auth';
import { expect } from 'chai';
import sinon from 'sinon';
import { get, post, serve } from './server.fixture.ts';

describe('http: callers whose requests were refused', () => {
  it('wait for further refusals, but only 64 requests of all callers together', async () => {
    const refused = new RefusedRequests('Too many.', () => 0);
    const callers = ['key 1', 'key 2', 'key 3', 'key 4'];
    for (const caller of callers) refused.count(caller, 10_000);
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    const refusals: unknown[] = [];
    const requests = callers.flatMap((caller) =>
      Array.from({ length: 50 }, () =>
        refused.throttleCaller(caller, leaving.signal).catch((refusal: unknown) => refusals.push(refusal)),
      ),
    );
    await nextEventLoopTurn();
    expect(refusals).to.have.length(200 - 64);
    leaving.abort();
    await Promise.all(requests);
    expect(refusals).to.have.length(200);
    for (const refusal of refusals) expect(refusal).to.be.instanceOf(ApiError).that.includes({ code: 'RATE_LIMITED' });
    await refused.throttleCaller('key 5', new AbortController().signal);
  });

  it('are refused by their credential alone while no further refusal can wait', async () => {
    let nowMs = 0;
    const refused = new RefusedRequests('Too many.', () => nowMs);
    for (const caller of ['key 1', 'key 2']) refused.count(caller, 10_000);
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    const throttle = (caller: string, headers: IncomingHttpHeaders) =>
      refused.throttleCaller(caller, leaving.signal, headers).catch(() => undefined);
    const [one, two] = [{ 'x-api-key': 'one' }, { authorization: 'Bearer two' }];
    const waiting = [throttle('key 2', two), ...Array.from({ length: 62 }, () => throttle('key 1', one))];
    await nextEventLoopTurn();
    expect(refused.refuseEarly(one)).to.equal(undefined);
    waiting.push(throttle('key 1', one));
    await nextEventLoopTurn();
    for (const headers of [one, two])
      expect(refused.refuseEarly(headers)).to.include({ code: 'RATE_LIMITED', retryAfterSeconds: 960 });
    for (const headers of [{}, { 'x-api-key': 'other' }, { ...one, ...two }])
      expect(refused.refuseEarly(headers)).to.equal(undefined);
    nowMs += 960_000;
    expect(refused.refuseEarly(one)).to.equal(undefined);
    nowMs -= 960_000;
    leaving.abort();
    await Promise.all(waiting);
    expect(refused.refuseEarly(one)).to.equal(undefined);
  });

  it('may send 1,600 small invalid requests at once, and 40 a second', () => {
    let nowMs = 0;
    const refused = new RefusedRequests('Too many.', () => nowMs);
    const countUntilLimited = () => {
      for (let count = 0; ; count += 1) {
        try {
          refused.requireAllowance('key 1');
        } catch {
          return count;
        }
        refused.count('key 1', 0.1);
      }
    };
    expect(countUntilLimited()).to.be.within(1_600, 1_601);
    nowMs += 1_000;
    expect(countUntilLimited()).to.be.within(40, 41);
    refused.requireAllowance('key 2');
  });

  it('are refused before their bodies are read, and other callers are not', async () => {
    const authenticate: Authenticate = ({ headers }) =>
      Promise.resolve({
        kind: 'api-key',
        keyId: String(headers['x-api-key']),
        network: 1,
        vendor: 'acme',
        rates: { requestsPerSecond: 1e6, eventsPerSecond: 1e6 },
      });
    let handled = 0;
    const route = post(
      '/x',
      ({ body }) => {
        handled += 1;
        if ((body as { ok?: boolean }).ok !== true) throw new ApiError('INVALID_REQUEST', 'no');
        return jsonResponse(200, {});
      },
      { access: 'ingest' },
    );
    const { baseUrl, server } = await serve([route], { authenticate });
    // The allowance does not grow, however long the requests take.
    const clock = sinon.stub(performance, 'now').returns(0);
    try {
      const send = async (key: string, body: unknown) => {
        const headers = { 'x-api-key': key, 'content-type': 'application/json' };
        const response = await fetch(`${baseUrl}/x`, { method: 'POST', headers, body: JSON.stringify(body) });
        await response.arrayBuffer();
        return response;
      };
      for (let count = 0; count <= 1_600; count += 50)
        await Promise.all(Array.from({ length: 50 }, () => send('one', { ok: false })));
      const before = handled;
      const limited = await send('one', { ok: true });
      expect([limited.status, handled]).to.deep.equal([429, before]);
      expect(Number(limited.headers.get('retry-after'))).to.be.greaterThan(0);
      expect((await send('two', { ok: true })).status).to.equal(200);
    } finally {
      clock.restore();
      await server.close();
    }
  });

  it('without a credential are limited by address; valid requests from it are not', async () => {
    const authenticate: Authenticate = ({ headers }) =>
      headers.authorization === 'Bearer right'
        ? Promise.resolve({ kind: 'operator', role: 'admin' })
        : Promise.reject(unauthorized('no credential'));
    const { baseUrl, server } = await serve([get('/x', () => jsonResponse(200, {}), { access: 'operator' })], {
      authenticate,
    });
    const clock = sinon.stub(performance, 'now').returns(0);
    try {
      const status = async (headers: Record<string, string> = {}) => {
        const response = await fetch(`${baseUrl}/x`, { headers });
        await response.arrayBuffer();
        return response.status;
      };
      for (let count = 0; count < 1_600; count += 50) await Promise.all(Array.from({ length: 50 }, () => status()));
      expect(await status()).to.equal(429);
      expect(await status({ authorization: 'Bearer right' })).to.equal(200);
    } finally {
      clock.restore();
      await server.close();
    }
  });

  it('with a credential that is wrong for one route are not refused early at another', async () => {
    const authenticate: Authenticate = ({ headers }, access) =>
      access === 'ingest' && headers['x-api-key'] === 'right'
        ? Promise.resolve({
            kind: 'api-key',
            keyId: 'right',
            network: 1,
            vendor: 'acme',
            rates: { requestsPerSecond: 1e6, eventsPerSecond: 1e6 },
          })
        : Promise.reject(unauthorized('no credential'));
    const routes = (['operator', 'ingest'] as const).map((access) =>
      get(`/${access}`, () => jsonResponse(200, {}), { access }),
    );
    const { baseUrl, server } = await serve(routes, { authenticate });
    const clock = sinon.stub(performance, 'now').returns(0);
    try {
      const status = async (path: string, headers: Record<string, string> = {}) => {
        const response = await fetch(`${baseUrl}${path}`, { headers });
        await response.arrayBuffer();
        return response.status;
      };
      const send = (count: number) => Array.from({ length: count }, () => status('/operator'));
      for (let count = 0; count < 1_600; count += 50) await Promise.all(send(50));
      const key = { 'x-api-key': 'right' };
      expect(await status('/operator', key)).to.equal(429);
      // When the first of these is answered, 64 others wait.
      const refused = send(100);
      expect(await Promise.any(refused)).to.equal(429);
      expect(await status('/ingest', key)).to.equal(200);
      expect(new Set(await Promise.all(refused))).to.deep.equal(new Set([429]));
    } finally {
      clock.restore();
      await server.close();
    }
  });
});
