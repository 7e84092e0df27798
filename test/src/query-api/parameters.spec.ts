import { expect } from 'chai';
import { accepted } from './accepted-parameters.fixture.ts';
import { everywhere, queryOf, to } from './parameters.fixture.ts';
import { refused } from './refused-parameters.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

describe('the parameters of reports', () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await openWorld();
    await world.register([{ id: 1, name: 'One', sites: [11, 12] }]);
    ({ token } = await world.client(1));
  });
  after(() => world.close());

  for (const { about, at, parts, names } of refused)
    it(`refuse ${about} at ${at.join(', ')}`, async () => {
      for (const path of at)
        await expectRefused(
          await world.get(`${path}?${queryOf(parts)}`, bearer(token)),
          400,
          'INVALID_PARAM',
          ...names,
        );
    });

  for (const { about, at, parts } of accepted)
    it(`take ${about} at ${at.join(', ')}`, async () => {
      for (const path of at) {
        const answer = await world.get(`${path}?${queryOf(parts)}`, bearer(token));
        expect(answer.status, `${path} ${await answer.text()}`).equal(200);
      }
    });

  it('name both edges when none is given', async () => {
    for (const path of everywhere)
      await expectRefused(await world.get(path, bearer(token)), 400, 'INVALID_PARAM', 'from', 'to');
  });

  it('say how a plus sign is written when it came as a space', async () => {
    const answer = await world.get(`/api/v1/coffee?from=2026-08-01T00:00:00+02:00&to=${to}`, bearer(token));
    expect((await expectRefused(answer, 400, 'INVALID_PARAM', 'from')).message).contains('%2B');
  });

  it('are none for metric-definitions', async () => {
    const answer = await world.get('/api/v1/metric-definitions?site_id=1', bearer(token));
    await expectRefused(answer, 400, 'INVALID_PARAM', 'site_id');
  });

  it('are looked at after the credential and before the scope', async () => {
    await expectRefused(await world.get('/api/v1/coffee', {}), 401, 'UNAUTHORIZED');
    const foreign = { ...bearer(token), 'x-network-name': 'Two' };
    const asked = (limit: string) => world.get(`/api/v1/coffee?${queryOf([['limit', limit]])}`, foreign);
    await expectRefused(await asked('0'), 400, 'INVALID_PARAM', 'limit');
    await expectRefused(await asked('1'), 401, 'UNAUTHORIZED', 'X-Network-Name');
  });
});
