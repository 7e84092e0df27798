import { expect } from 'chai';
import { accepted } from './accepted-parameters.fixture.ts';
import { everywhere, queryOf, to } from './parameters.fixture.ts';
import { refused } from './refused-parameters.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

describe('the parameters of reports', () => {
  let api: TestQueryApi;
  let token: string;
  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One', sites: [11, 12] }]);
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  for (const { about, at, parts, names } of refused)
    it(`refuse ${about} at ${at.join(', ')}`, async () => {
      for (const path of at)
        await expectRefused(await api.get(`${path}?${queryOf(parts)}`, bearer(token)), 400, 'INVALID_PARAM', ...names);
    });

  for (const { about, at, parts } of accepted)
    it(`accept ${about} at ${at.join(', ')}`, async () => {
      for (const path of at) {
        const answer = await api.get(`${path}?${queryOf(parts)}`, bearer(token));
        expect(answer.status, `${path} ${await answer.text()}`).equal(200);
      }
    });

  it('name both edges of the window in the error if both are missing', async () => {
    for (const path of everywhere)
      await expectRefused(await api.get(path, bearer(token)), 400, 'INVALID_PARAM', 'from', 'to');
  });

  it('explain in the error how to write a plus sign that arrived as a space', async () => {
    const answer = await api.get(`/api/v1/coffee?from=2026-08-01T00:00:00+02:00&to=${to}`, bearer(token));
    expect((await expectRefused(answer, 400, 'INVALID_PARAM', 'from')).message).contains('%2B');
  });

  it('do not exist for metric-definitions', async () => {
    const answer = await api.get('/api/v1/metric-definitions?site_id=1', bearer(token));
    await expectRefused(answer, 400, 'INVALID_PARAM', 'site_id');
  });

  it('are validated after the credential and before the scope', async () => {
    await expectRefused(await api.get('/api/v1/coffee', {}), 401, 'UNAUTHORIZED');
    const foreign = { ...bearer(token), 'x-network-name': 'Two' };
    const request = (limit: string) => api.get(`/api/v1/coffee?${queryOf([['limit', limit]])}`, foreign);
    await expectRefused(await request('0'), 400, 'INVALID_PARAM', 'limit');
    await expectRefused(await request('1'), 401, 'UNAUTHORIZED', 'X-Network-Name');
  });
});
