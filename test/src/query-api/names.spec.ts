import { type ClickHouseReader, openClickHouseReader, type Sql } from '@popsvc/platform/clickhouse';
import { reloadDictionaries } from '@popsvc/read-models/schema';
import { coffee, registryTables } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';
import { sharedClickHouse } from '../support/engines.ts';
import { readPage } from './pages.fixture.ts';
import { coffeeRow } from './rows.fixture.ts';
import { progress, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const window = { from: '2026-08-20T00:00:00Z', to: '2026-08-21T00:00:00Z' };

describe('the names in pages', () => {
  let api: TestQueryApi;
  let token: string;
  let nameQueries = 0;
  const countNameQueries = (reader: ClickHouseReader): ClickHouseReader => ({
    ...reader,
    rows<Row>(query: Sql) {
      if (query.texts.join('').includes('dictGetOrNull')) nameQueries += 1;
      return reader.rows<Row>(query);
    },
  });
  const readRow = async () => (await readPage(api, '/api/v1/coffee', window, token)).rows[0]!;
  const creative = (title: string, version: number) => ({
    network_id: 1,
    external_id: 'cre-1',
    title,
    display_title: title,
    strategy_id: null,
    strategy_name: null,
    version,
  });
  /** Writes what the registry projection writes in a batch. */
  const changeRegistry = async (position: number, write: () => Promise<void>) => {
    await write();
    await reloadDictionaries((query) => api.writer.run(query));
    await api.insert(progress, [{ projection: 'registry', generation: 1, pos: position, as_of: position }]);
  };

  before(async () => {
    const engine = await sharedClickHouse();
    const database = await engine.database();
    const reader = openClickHouseReader({ url: `${engine.url}/${database}`, ...engine.reader });
    api = await startTestQueryApi({ database, reader: countNameQueries(reader) });
    await changeRegistry(1, () => api.register([{ id: 1, name: 'One', sites: [11] }]));
    await api.insert(coffee, [coffeeRow({ network_id: 1, site_id: 11 })]);
    await api.insert(progress, [{ projection: 'coffee', generation: 1, pos: 1, as_of: 1 }]);
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  it('are read once while the registry does not change', async () => {
    expect(await readRow()).include({ SITE_NAME: 'Site 11', TITLE: null });
    nameQueries = 0;
    expect(await readRow()).include({ SITE_NAME: 'Site 11', TITLE: null });
    expect(nameQueries).equal(0);
  });

  it('are read of more and longer references than fit into a query', async () => {
    const references = Array.from({ length: 500 }, (_, index) => `${'"\\ä'.repeat(300)}${index}`);
    const ts = Date.UTC(2026, 7, 25, 12);
    await api.insert(
      coffee,
      references.map((reference, number) =>
        coffeeRow({ network_id: 1, ts, number, campaign_ref: reference, creative_ref: reference }),
      ),
    );
    const later = { from: '2026-08-25T00:00:00Z', to: '2026-08-26T00:00:00Z' };
    const { rows } = await readPage(api, '/api/v1/coffee', later, token);
    expect(rows).length(500);
    expect(new Set(rows.map((row) => row['TITLE']))).deep.equal(new Set([null]));
  });

  it('follow a creative that is registered later, and its new title', async () => {
    for (const [position, title] of [
      [2, 'First'],
      [3, 'Second'],
    ] as const) {
      await changeRegistry(position, () => api.insert(registryTables.creatives, [creative(title, position)]));
      await waitUntil(readRow, (row) => row['TITLE'] === title);
    }
  });

  it('follow a site that is renamed, and a vendor that is registered as retired', async () => {
    await changeRegistry(4, async () => {
      const { sites, vendors } = registryTables;
      const site = { site_id: 11, network_id: 1, name: 'Renamed', timezone: 'Europe/Berlin', opens: [], closes: [] };
      await api.insert(sites, [{ ...site, version: 4 }]);
      await api.insert(vendors, [{ code: 'acme', network_id: 1, name: 'Acme', retired: 1, version: 4 }]);
    });
    await waitUntil(readRow, (row) => row['SITE_NAME'] === 'Renamed' && row['MEDIA_PLAYER_NAME'] === 'Acme');
  });

  it('are read again after a minute, because a server may have missed a reload', async () => {
    await api.insert(registryTables.creatives, [creative('Third', 5)]);
    await api.insert(progress, [{ projection: 'registry', generation: 1, pos: 5, as_of: 5 }]);
    const before = nameQueries;
    await waitUntil(readRow, () => nameQueries > before);
    expect(await readRow()).include({ TITLE: 'Second' });
    // As the server does on its own.
    await reloadDictionaries((query) => api.writer.run(query));
    expect(await readRow()).include({ TITLE: 'Second' });
    const clock = sinon.useFakeTimers({ toFake: ['performance'] });
    try {
      clock.tick(24 * 3_600_000);
      expect(await readRow()).include({ TITLE: 'Third' });
    } finally {
      clock.restore();
    }
  });
});
