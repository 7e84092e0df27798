import { setTimeout as sleep } from 'node:timers/promises';
import { coffee, registryTables, watcherSummary } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { type Page } from './pages.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { coffeeRow, networkRow, watcherRow } from './rows.fixture.ts';
import { bearer, progress, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const datasets = ['coffee', 'watcher-summary'];
const paths = datasets.flatMap((name) => [`/api/v1/${name}`, `/api/v1/${name}/download`]);

describe('the scope of a report', () => {
  let api: TestQueryApi;
  let token: string;
  const rows = async (query: string, headers: Readonly<Record<string, string>>) => {
    const answer = await api.get(`/api/v1/coffee?${window}${query}`, headers);
    expect(answer.status).equal(200);
    return ((await answer.json()) as { data: Page }).data.rows;
  };
  const networks = async (headers: Readonly<Record<string, string>>) =>
    (await rows('', headers)).map(({ NETWORK_NAME }) => NETWORK_NAME);

  before(async () => {
    api = await startTestQueryApi();
    await api.register([
      { id: 1, name: 'North', sites: [11, 12] },
      { id: 2, name: ' Süd Straße ', sites: [21] },
      { id: 3, name: '50% Off', sites: [31] },
      { id: 4, name: 'Elsewhere', sites: [41] },
    ]);
    for (const network of [1, 2, 3, 4]) {
      const site = network * 10 + 1;
      await api.insert(coffee, [coffeeRow({ network_id: network, number: network, site_id: site })]);
      await api.insert(watcherSummary, [watcherRow({ network_id: network, number: network, site_id: site })]);
    }
    await api.insert(coffee, [coffeeRow({ network_id: 1, number: 9, site_id: 0, event_id: 'unknown place' })]);
    ({ token } = await api.client(2, 1, 3));
  });
  after(() => api.close());

  it('is the first network of the token', async () => {
    expect(await networks(bearer(token))).deep.equal([' Süd Straße ']);
    expect(await networks(bearer((await api.client(1, 2)).token))).deep.equal(['North', 'North']);
  });

  it('is the network of an API key, for any X-Network-Name', async () => {
    const key = await api.apiKey(3);
    expect(await networks({ 'x-api-key': key })).deep.equal(['50% Off']);
    expect(await networks(bearer(key))).deep.equal(['50% Off']);
    expect(await networks({ 'x-api-key': key, 'x-network-name': 'North' })).deep.equal(['50% Off']);
    expect(await networks({ 'x-api-key': key, 'x-network-name': 'nonsense' })).deep.equal(['50% Off']);
  });

  it('is refused to API keys of retired networks and vendors, and kept for clients of the network', async () => {
    const own = await startTestQueryApi();
    const key = await own.apiKey(501);
    const { token: client } = await own.client(501);
    const [networkTable, vendorTable] = [registryTables.networks, registryTables.vendors];
    let position = 0;
    /** Writes as the projection does: the rows, then its progress. */
    const register = async (table: typeof networkTable | typeof vendorTable, row: object) => {
      position += 1;
      await own.insert(table, [{ ...row, version: position }]);
      await own.insert(progress, [{ projection: 'registry', generation: 1, pos: position, as_of: position }]);
    };
    const get = async (path: string, headers: Readonly<Record<string, string>>) => {
      const answer = await own.get(path, headers);
      return { status: answer.status, body: (await answer.json()) as { message: string; error?: { code: string } } };
    };
    const refusalOf = async (path: string) =>
      waitUntil(
        () => get(path, { 'x-api-key': key }),
        ({ status }) => status === 401,
      );
    const network = { network_id: 501, name: 'Retiring' };
    const vendor = { code: 'acme', network_id: 501, name: 'Acme' };
    const report = `/api/v1/coffee?${window}`;
    await register(networkTable, networkRow(network));
    expect((await get(report, { 'x-api-key': key })).status).equal(200);
    await register(networkTable, networkRow({ ...network, retired: 1 }));
    for (const path of [report, '/popsvc/v1/pop/summary', '/popsvc/v1/webhooks']) {
      const { body } = await refusalOf(path);
      expect(body).to.include({ message: 'Network 501 is retired, so its API keys are not valid. Ask your operator.' });
      expect(body.error?.code).to.equal('UNAUTHORIZED');
    }
    expect((await get(report, bearer(client))).status, 'what it sent stays readable').equal(200);

    await register(networkTable, networkRow(network));
    await waitUntil(
      () => get(report, { 'x-api-key': key }),
      ({ status }) => status === 200,
    );
    await register(vendorTable, { ...vendor, retired: 1 });
    expect((await refusalOf(report)).body.message).to.match(/^Vendor acme is retired/);
    await register(vendorTable, { ...vendor, retired: 0 });
    await waitUntil(
      () => get(report, { 'x-api-key': key }),
      ({ status }) => status === 200,
    );
    await own.close();
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
    it(`is the network with the X-Network-Name "${sent}"`, async () => {
      expect(new Set(await networks({ ...bearer(token), 'x-network-name': sent }))).deep.equal(new Set([name]));
    });

  for (const sent of ['Elsewhere', 'Nort', '', ' ', '1', 'North, North', "North' OR '1'='1", '%'])
    it(`responds 401 to the X-Network-Name "${sent}"`, async () => {
      for (const path of [...paths.map((path) => `${path}?${window}`), '/api/v1/metric-definitions']) {
        const answer = await api.get(path, { ...bearer(token), 'x-network-name': sent });
        expect(answer.headers.get('www-authenticate')).match(/^Bearer realm="popsvc"/);
        await expectRefused(answer, 401, 'UNAUTHORIZED', 'X-Network-Name');
      }
    });

  it('responds 403 to a credential without registered networks', async () => {
    const unregistered = (await api.client(77, 78)).token;
    const key = await api.apiKey(77);
    for (const path of [...paths.map((path) => `${path}?${window}`), '/api/v1/metric-definitions'])
      for (const headers of [
        bearer(unregistered),
        { 'x-api-key': key },
        { ...bearer(unregistered), 'x-network-name': 'North' },
      ])
        await expectRefused(await api.get(path, headers), 403, 'FORBIDDEN_NETWORKS');
  });

  it('leaves out networks of the token that are not registered', async () => {
    expect(await networks(bearer((await api.client(79, 1, 2)).token))).deep.equal(['North', 'North']);
  });

  it('waits for the projection of a network that was registered a moment ago', async () => {
    const patient = await startTestQueryApi({ registrationTimeoutMs: 120_000 });
    await patient.register([{ id: 1, name: 'North' }]);
    const { token: early } = await patient.client(6, 1);
    const answer = patient.get(`/api/v1/coffee?${window}`, { ...bearer(early), 'x-network-name': 'Sixth' });
    await sleep(300);
    await patient.register([{ id: 6, name: 'Sixth' }]);
    expect((await answer).status).equal(200);
    expect(((await (await answer).json()) as { data: Page }).data.rows).deep.equal([]);
    await patient.close();
  });

  it('includes a network as soon as it is registered', async () => {
    const { token: early } = await api.client(5);
    await expectRefused(await api.get(`${paths[0]}?${window}`, bearer(early)), 403, 'FORBIDDEN_NETWORKS');
    await api.register([{ id: 5, name: 'Fifth' }]);
    expect(await networks(bearer(early))).deep.equal([]);
  });

  it('responds 401 to a site of another network, also one of the token', async () => {
    for (const path of paths)
      for (const sites of ['site_id=11', 'site_id=41', 'site_id=999', 'site_id=21&site_id=11']) {
        const answer = await api.get(`${path}?${window}&${sites}`, bearer(token));
        expect(answer.headers.get('www-authenticate')).match(/^Bearer realm="popsvc"/);
        expect(answer.headers.get('www-authenticate'), 'the token is valid').to.not.include('invalid_token');
        await expectRefused(answer, 401, 'UNAUTHORIZED', 'site_id');
      }
  });

  it('is limited by site_id, which excludes rows of unknown sites', async () => {
    const north = { ...bearer(token), 'x-network-name': 'north' };
    const ids = async (query: string) => (await rows(query, north)).map(({ DETAILID }) => DETAILID);
    expect(await ids('')).deep.equal([1, 9]);
    expect(await ids('&site_id=11')).deep.equal([1]);
    expect(await ids('&site_id=12')).deep.equal([]);
    expect(await ids('&site_id=12&site_id=11')).deep.equal([1]);
  });

  it('requires a credential', async () => {
    for (const path of [...paths, '/api/v1/metric-definitions'])
      for (const headers of [
        {},
        bearer('nonsense'),
        { 'x-api-key': 'acme_sk_nonsense' },
        { authorization: 'Basic eDp5' },
      ]) {
        const answer = await api.get(path, headers);
        expect(answer.headers.get('www-authenticate')).match(/^Bearer realm="popsvc"/);
        await expectRefused(answer, 401, 'UNAUTHORIZED');
      }
  });
});
