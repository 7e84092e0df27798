import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { coffee, registryTables, watcherSummary } from '@popsvc/read-models/tables';
import { reloadDictionaries } from '@popsvc/read-models/schema';
import { expect } from 'chai';
import { coffeeValues, watcherValues, coffeeFields, title } from './columns.fixture.ts';
import { readCsv } from './csv-reader.fixture.ts';
import { readPage } from './pages.fixture.ts';
import { coffeeRow, noon, watcherRow } from './rows.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const day = { from: '2026-08-20T00:00:00Z', to: '2026-08-21T00:00:00Z' };
const query = new URLSearchParams(day).toString();
/** A value in CSV: arrays are JSON text, null is empty. */
const csvText = (value: string | number | boolean | null | readonly unknown[]): string | null => {
  if (value === null) return null;
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
};

describe('the columns of reports', () => {
  let api: TestQueryApi;
  let token: string;
  const csvOf = async (path: string, more = '') => {
    const answer = await api.get(`${path}?${query}${more}`, bearer(token));
    expect(answer.status).equal(200);
    return readCsv(await answer.text());
  };

  before(async () => {
    api = await startTestQueryApi();
    const { vendors, locations, devices, feeders, cameras, campaigns, creatives } = registryTables;
    const version = 1;
    await api.insert(vendors, [{ code: 'acme', network_id: 1, name: 'Acme Players', retired: 0, version }]);
    await api.insert(locations, [{ location_id: 4, network_id: 1, site_id: 11, name: 'Hall', version }]);
    await api.insert(devices, [{ device_id: 5, network_id: 1, location_id: 4, name: 'Screen', retired: 0, version }]);
    await api.insert(feeders, [
      { feeder_id: 6, network_id: 1, device_id: 5, name: 'Eye', only_camera_id: 9, retired: 0, version },
    ]);
    await api.insert(cameras, [{ camera_id: 9, network_id: 1, device_id: 5, name: 'Lens', version }]);
    await api.insert(campaigns, [
      {
        network_id: 1,
        external_id: 'cam-1',
        campaign_id: 71,
        name: 'Summer',
        subscription_name: 'Gold',
        strategy_id: 8,
        strategy_name: 'Wide',
        version,
      },
    ]);
    await api.insert(creatives, [
      {
        network_id: 1,
        external_id: 'cre-1',
        title,
        display_title: '-shown',
        strategy_id: null,
        strategy_name: null,
        version,
      },
    ]);
    await api.register([{ id: 1, name: 'One', sites: [11] }]);
    await reloadDictionaries((query) => api.writer.run(query));
    await api.insert(coffee, [
      coffeeRow(coffeeFields),
      coffeeRow({ network_id: 1, number: 1, ts: noon + 300, vendor: 'unknown', campaign_ref: 'x', creative_ref: 'x' }),
    ]);
    await api.insert(watcherSummary, [
      watcherRow({
        network_id: 1,
        number: 4,
        watcher_id: 3,
        gender: 'male',
        age_category: 'senior',
        mood: 'neutral',
        is_watcher: 1,
        detection_ms: 1_001,
        watch_ms: 500,
        site_id: 11,
        location_id: 4,
        device_id: 5,
        feeder_id: 6,
      }),
      watcherRow({ network_id: 1, number: 5, camera_id: 10 }),
    ]);
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  it('are 63 in coffee and 19 in watcher-summary', () => {
    expect(coffeeDataset.columns).length(63);
    expect(watcherSummaryDataset.columns).length(19);
  });

  for (const dataset of [coffeeDataset, watcherSummaryDataset])
    it(`of ${dataset.name} are nullable exactly if their SQL expression is`, async () => {
      // A list has the type Variant, which always allows NULL.
      const scalars = dataset.columns.filter(({ type }) => type !== 'array');
      const selected = scalars.map(({ name, sql }) => `${sql} AS ${name}`).join(', ');
      const types = await api.writer.rows<{ name: string; type: string }>(
        `DESCRIBE (SELECT ${selected} FROM ${dataset.table.name}_live)`,
      );
      const nullable = types.filter(({ type }) => /^(LowCardinality\()?Nullable\(/.test(type)).map(({ name }) => name);
      const declared = scalars.filter(({ isNullable }) => isNullable).map(({ name }) => name);
      expect(types).length(scalars.length);
      expect(nullable).deep.equal(declared);
    });

  it('are all in a JSON row of coffee, in order', async () => {
    const [row] = (await readPage(api, '/api/v1/coffee', day, token)).rows;
    expect(row).deep.equal(coffeeValues);
    expect(Object.keys(row ?? {})).deep.equal(coffeeDataset.columns.map(({ name }) => name));
  });

  it('are null where the value is unknown', async () => {
    const row = (await readPage(api, '/api/v1/coffee', day, token)).rows[1];
    const known = [
      'POP_TYPE',
      'PLAY_REASON',
      'DETAILID',
      'EVENT_ID',
      'PLAYOUT',
      'DELTA_ID',
      'NETWORK_ID',
      'NETWORK_NAME',
      'SF_DELTA_ID',
    ];
    const nulls = Object.entries(row ?? {}).filter(([name, value]) => value === null && !/^(IS_|DURATION_)/.test(name));
    expect(nulls.map(([name]) => name)).include.members([
      'WATCHERID',
      'GENDER',
      'DISTANCE',
      'SITE_ID',
      'SITE_NAME',
      'CAMPAIGN_ID',
      'MEDIA_PLAYER_NAME',
      'DEVICE_TZ',
    ]);
    for (const name of known) expect(row?.[name], name).not.equal(null);
    expect(row).include({ IS_IMPRESSION: 0, IS_WATCHED: 0, DURATION_VIEW: 0, IS_BUSINESSHOUR: null });
  });

  it('are all in a JSON row of watcher-summary, in order', async () => {
    const [row, other] = (await readPage(api, '/api/v1/watcher-summary', day, token)).rows;
    expect(row).deep.equal(watcherValues);
    expect(Object.keys(row ?? {})).deep.equal(watcherSummaryDataset.columns.map(({ name }) => name));
    expect(other).include({ CAM_ID: 10, CAMERA_NAME: null, SITE_ID: null, ATTENTION: 0 });
  });

  for (const [path, dataset, first] of [
    ['/api/v1/coffee/download', coffeeDataset, coffeeValues],
    ['/api/v1/watcher-summary/download', watcherSummaryDataset, watcherValues],
  ] as const)
    it(`have the same values in CSV at ${path}`, async () => {
      const [header, row, other, ...rest] = await csvOf(path);
      expect(header).deep.equal(dataset.columns.map(({ name }) => name));
      expect(row).deep.equal(Object.values(first).map(csvText));
      expect(other).length(dataset.columns.length);
      expect(rest).deep.equal([]);
    });

  it('escape formulas in text with excel_safe, and nothing else', async () => {
    const [header, row] = await csvOf('/api/v1/coffee/download', '&excel_safe=true');
    const field = (name: string) => row?.[header?.indexOf(name) ?? -1];
    expect(field('EVENT_ID')).equal("'=1+1");
    expect(field('REID')).equal("'@reid");
    expect(field('DISPLAY_TITLE')).equal("'-shown");
    expect(field('WATCHERID')).equal('-7');
    expect(field('TITLE')).equal(title);
    expect(field('DT_START_SITE_TZ')).equal(coffeeValues.DT_START_SITE_TZ);
  });

  it('prefix exactly the texts that a spreadsheet would execute', async () => {
    const texts = ['=a', '+a', '-a', '@a', '\ta', '\ra', '\n=a', '\0=a', "'a", ' =a', 'a=', '', 'ä'];
    await api.insert(
      coffee,
      texts.map((event_id, index) => coffeeRow({ network_id: 1, ts: noon + 3_600_000, number: index, event_id })),
    );
    const later = '&offset=2&excel_safe=true';
    const [header, ...rows] = await csvOf('/api/v1/coffee/download', later);
    const column = header?.indexOf('EVENT_ID') ?? -1;
    expect(rows.map((row) => row[column])).deep.equal(
      texts.map((text) => (/^[=+\-@\t\r\n\0]/.test(text) ? `'${text}` : text)),
    );
  });
});
