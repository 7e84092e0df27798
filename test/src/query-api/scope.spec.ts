import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { type Page } from './pages.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { coffeeRow, watcherRow } from './rows.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const datasets = ['coffee', 'watcher-summary'];
const paths = datasets.flatMap((name) => [`/api/v1/${name}`, `/api/v1/${name}/download`]);

describe('the scope of a report', () => {
  let world: World;
  let token: string;
  const rows = async (query: string, headers: Readonly<Record<string, string>>) => {
    const answer = await world.get(`/api/v1/coffee?${window}${query}`, headers);
    expect(answer.status).equal(200);
    return ((await answer.json()) as { data: Page }).data.rows;
  };
  const networks = async (headers: Readonly<Record<string, string>>) =>
    (await rows('', headers)).map(({ NETWORK_NAME }) => NETWORK_NAME);

  before(async () => {
    world = await openWorld();
    await world.register([
      { id: 1, name: 'North', sites: [11, 12] },
      { id: 2, name: ' Süd Straße ', sites: [21] },
      { id: 3, name: '50% Off', sites: [31] },
      { id: 4, name: 'Elsewhere', sites: [41] },
    ]);
    for (const network of [1, 2, 3, 4]) {
      const site = network * 10 + 1;
      await world.insert(coffee, [coffeeRow({ network_id: network, number: network, site_id: site })]);
      await world.insert(watcherSummary, [watcherRow({ network_id: network, number: network, site_id: site })]);
    }
    await world.insert(coffee, [coffeeRow({ network_id: 1, number: 9, site_id: 0, event_id: 'unknown place' })]);
    ({ token } = await world.client(2, 1, 3));
  });
  after(() => world.close());

  it('is the first network of the claim', async () => {
    expect(await networks(bearer(token))).deep.equal([' Süd Straße ']);
    expect(await networks(bearer((await world.client(1, 2)).token))).deep.equal(['North', 'North']);
  });

  it('is the network of an API key, whatever X-Network-Name says', async () => {
    const key = await world.apiKey(3);
    expect(await networks({ 'x-api-key': key })).deep.equal(['50% Off']);
    expect(await networks(bearer(key))).deep.equal(['50% Off']);
    expect(await networks({ 'x-api-key': key, 'x-network-name': 'North' })).deep.equal(['50% Off']);
    expect(await networks({ 'x-api-key': key, 'x-network-name': 'nonsense' })).deep.equal(['50% Off']);
  });

  for (const [sent, name] of [
    ['North', 'North'],
    ['  nORTH ', 'North'],
    ['N%6Frth', 'North'],
    [encodeURIComponent('süd straße'), ' Süd Straße '],
    [encodeURIComponent(' SÜD Straße '), ' Süd Straße '],
    [encodeURIComponent('süd straße'.normalize('NFD')), ' Süd Straße '],
    ['50% off', '50% Off'],
    ['50%25%20Off', '50% Off'],
  ] as const)
    it(`is the network that X-Network-Name "${sent}" names`, async () => {
      expect(new Set(await networks({ ...bearer(token), 'x-network-name': sent }))).deep.equal(new Set([name]));
    });

  for (const sent of ['Elsewhere', 'Nort', '', ' ', '1', 'North, North', "North' OR '1'='1", '%'])
    it(`is refused with 401 when X-Network-Name is "${sent}"`, async () => {
      for (const path of [...paths.map((path) => `${path}?${window}`), '/api/v1/metric-definitions']) {
        const answer = await world.get(path, { ...bearer(token), 'x-network-name': sent });
        expect(answer.headers.get('www-authenticate')).match(/^Bearer realm="popsvc"/);
        await expectRefused(answer, 401, 'UNAUTHORIZED', 'X-Network-Name');
      }
    });

  it('refuses a credential whose networks are not registered with 403', async () => {
    const stranger = (await world.client(77, 78)).token;
    const key = await world.apiKey(77);
    for (const path of [...paths.map((path) => `${path}?${window}`), '/api/v1/metric-definitions'])
      for (const headers of [
        bearer(stranger),
        { 'x-api-key': key },
        { ...bearer(stranger), 'x-network-name': 'North' },
      ])
        await expectRefused(await world.get(path, headers), 403, 'FORBIDDEN_NETWORKS');
  });

  it('lets a network in as soon as it is registered', async () => {
    const { token: early } = await world.client(5);
    await expectRefused(await world.get(`${paths[0]}?${window}`, bearer(early)), 403, 'FORBIDDEN_NETWORKS');
    await world.register([{ id: 5, name: 'Fifth' }]);
    expect(await networks(bearer(early))).deep.equal([]);
  });

  it('refuses a site outside it with 401, also one of another network of the token', async () => {
    for (const path of paths)
      for (const sites of ['site_id=11', 'site_id=41', 'site_id=999', 'site_id=21&site_id=11']) {
        const answer = await world.get(`${path}?${window}&${sites}`, bearer(token));
        expect(answer.headers.get('www-authenticate')).match(/^Bearer realm="popsvc"/);
        await expectRefused(answer, 401, 'UNAUTHORIZED', 'site_id');
      }
  });

  it('is narrowed by sites; rows of unknown places are in none of them', async () => {
    const north = { ...bearer(token), 'x-network-name': 'north' };
    const ids = async (query: string) => (await rows(query, north)).map(({ DETAILID }) => DETAILID);
    expect(await ids('')).deep.equal([1, 9]);
    expect(await ids('&site_id=11')).deep.equal([1]);
    expect(await ids('&site_id=12')).deep.equal([]);
    expect(await ids('&site_id=12&site_id=11')).deep.equal([1]);
  });

  it('needs a credential', async () => {
    for (const path of [...paths, '/api/v1/metric-definitions'])
      for (const headers of [
        {},
        bearer('nonsense'),
        { 'x-api-key': 'acme_sk_nonsense' },
        { authorization: 'Basic eDp5' },
      ]) {
        const answer = await world.get(path, headers);
        expect(answer.headers.get('www-authenticate')).match(/^Bearer realm="popsvc"/);
        await expectRefused(answer, 401, 'UNAUTHORIZED');
      }
  });
});
