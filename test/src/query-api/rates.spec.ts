import { createApiKey } from '@popsvc/platform/auth';
import { expect } from 'chai';
import { bearer, openWorld, type World } from './world.fixture.ts';

const path = '/api/v1/metric-definitions';

describe('query-api: how often a key may ask', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
    await world.register([{ id: 1, name: 'North' }]);
  });
  after(() => world.close());

  const keyed = async (requestsPerSecond: number) => {
    const { apiKey } = await createApiKey(world.postgres, { vendor: 'acme', networkId: 1, requestsPerSecond });
    return () => world.get(path, { 'X-API-Key': apiKey });
  };

  it('ends in 429 with Retry-After, for that key alone, and only requests are counted', async () => {
    const [ask, other] = [await keyed(1), await keyed(1)];
    const first = await ask();
    expect(first.headers.get('ratelimit-policy')).to.equal('"requests";q=2;qu="requests";w=2');
    expect(first.headers.get('ratelimit')).to.match(/^"requests";r=[12];t=[012]$/);
    const more = await Promise.all(Array.from({ length: 5 }, ask));
    const refused = more.filter(({ status }) => status === 429);
    expect(refused.length).to.be.within(2, 4);
    for (const answer of refused) {
      expect(answer.headers.get('retry-after')).to.equal('1');
      expect(await answer.json()).to.deep.include({ status: false, error: { code: 'RATE_LIMITED', details: [] } });
    }
    expect((await other()).status).to.equal(200);
  });

  it('does not hold for clients', async () => {
    const { token } = await world.client(1);
    const answer = await world.get(path, bearer(token));
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('ratelimit')).to.equal(null);
  });
});
