import { createApiKey } from '@popsvc/http-kit/auth';
import { expect } from 'chai';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const path = '/api/v1/metric-definitions';

describe('rate limits of query-api', () => {
  let api: TestQueryApi;
  before(async () => {
    api = await startTestQueryApi({ rateClock: () => 0 });
    await api.register([{ id: 1, name: 'North' }]);
  });
  after(() => api.close());

  const createRequest = async (requestsPerSecond: number) => {
    const { apiKey } = await createApiKey(api.postgres, { vendor: 'acme', networkId: 1, requestsPerSecond });
    return () => api.get(path, { 'X-API-Key': apiKey });
  };

  it('respond 429 with Retry-After to the key that exceeds its request rate, and to no other', async () => {
    const [request, other] = [await createRequest(1), await createRequest(1)];
    const first = await request();
    expect(first.headers.get('ratelimit-policy')).to.equal('"requests";q=2;qu="requests";w=2');
    expect(first.headers.get('ratelimit')).to.equal('"requests";r=1;t=1');
    const more = await Promise.all(Array.from({ length: 5 }, request));
    const refused = more.filter(({ status }) => status === 429);
    // Two at once. The clock of the rates does not move.
    expect(refused).to.have.length(4);
    for (const answer of refused) {
      expect(answer.headers.get('retry-after')).to.equal('1');
      expect(await answer.json()).to.deep.include({ status: false, error: { code: 'RATE_LIMITED', details: [] } });
    }
    expect((await other()).status).to.equal(200);
  });

  it('do not apply to clients', async () => {
    const { token } = await api.client(1);
    const answer = await api.get(path, bearer(token));
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('ratelimit')).to.equal(null);
  });
});
