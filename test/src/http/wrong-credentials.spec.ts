import { type Authenticate, ExpiredCredential, unauthorized } from '@popsvc/http-kit/auth';
import { ApiError } from '@popsvc/contracts/errors';
import { createGuessLimiter, jsonResponse } from '@popsvc/http-kit/server';
import { buildOpenApiDocument } from '@popsvc/http-kit/openapi';
import { expect } from 'chai';
import sinon from 'sinon';
import { get, serve } from './server.fixture.ts';

const { signal } = new AbortController();

describe('http: wrong credentials', function () {
  afterEach(() => sinon.restore());

  it('beyond the rate of an address are answered after a pause', async () => {
    const limiter = createGuessLimiter({ rate: { perSecond: 1, burst: 2 }, message: 'Too many.', now: () => 0 });
    await limiter.count('192.0.2.1', signal);
    await limiter.count('192.0.2.1', signal);
    const startedAt = performance.now();
    const error: unknown = await limiter.count('192.0.2.1', signal).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ApiError).that.includes({ code: 'RATE_LIMITED', message: 'Too many.' });
    expect(performance.now() - startedAt).to.be.at.least(990);
    await limiter.count('192.0.2.2', signal);
  });

  it('do not lock out valid ones from the same address, and do not include expired ones', async () => {
    const authenticate: Authenticate = ({ headers }) => {
      if (headers.authorization === 'Bearer right') return Promise.resolve({ kind: 'operator', role: 'admin' });
      return Promise.reject(
        headers.authorization === 'Bearer expired' ? new ExpiredCredential() : unauthorized('no', 'invalid_token'),
      );
    };
    const routes = [get('/x', () => jsonResponse(200, {}), { access: 'operator' })];
    const { baseUrl, server } = await serve(routes, { authenticate });
    // The allowance of the address does not grow, however long the requests take.
    sinon.stub(performance, 'now').returns(0);
    const status = async (token: string) => {
      const response = await fetch(`${baseUrl}/x`, { headers: { authorization: `Bearer ${token}` } });
      await response.arrayBuffer();
      return response.status;
    };
    const statuses = new Set<number>();
    for (let round = 0; round < 20 && !statuses.has(429); round++)
      for (const found of await Promise.all(Array.from({ length: 50 }, () => status('wrong')))) statuses.add(found);
    expect([...statuses].sort()).to.deep.equal([401, 429]);
    expect(await status('right')).to.equal(200);
    // The address has exceeded the rate.
    expect(await status('expired')).to.equal(401);
    await server.close();
  });

  it('are documented as rate limited for every access but the public one', () => {
    const routes = (['operator', 'monitoring', 'reporting', 'ingest', 'public'] as const).map((access) =>
      get(`/${access}`, () => jsonResponse(200, {}), { access }),
    );
    const { paths } = buildOpenApiDocument({ title: 'x', description: 'x', groups: [] }, routes) as unknown as {
      readonly paths: Readonly<Record<string, { readonly get: { readonly responses: object } }>>;
    };
    const limited = Object.keys(paths).filter((path) => '429' in paths[path]!.get.responses);
    expect(limited).to.have.members(['/operator', '/monitoring', '/reporting', '/ingest']);
  });
});
