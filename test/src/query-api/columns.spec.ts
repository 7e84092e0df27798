import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { coffee, registryTables, watcherSummary } from '@popsvc/read-models/tables';
import { reloadDictionaries } from '@popsvc/read-models/schema';
import { expect } from 'chai';
import { expected, observed, seen, title } from './columns.fixture.ts';
import { readCsv } from './csv-reader.fixture.ts';
import { pageAt } from './pages.fixture.ts';
import { coffeeRow, noon, watcherRow } from './rows.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

const day = { from: '2026-08-20T00:00:00Z', to: '2026-08-21T00:00:00Z' };
const query = new URLSearchParams(day).toString();
/** How a value stands in CSV: arrays as JSON text, null as nothing. */
const written = (value: string | number | boolean | null | readonly unknown[]): string | null => {
  if (value === null) return null;
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
};

describe('the columns of reports', () => {
  let world: World;
  let token: string;
  const csvOf = async (path: string, more = '') => {
    const answer = await world.get(`${path}?${query}${more}`, bearer(token));
    expect(answer.status).equal(200);
    return readCsv(await answer.text());
  };

  before(async () => {
    world = await openWorld();
    const { vendors, locations, devices, feeders, cameras, campaigns, creatives } = registryTables;
    const version = 1;
    await world.insert(vendors, [{ code: 'acme', network_id: 1, name: 'Acme Players', version }]);
    await world.insert(locations, [{ location_id: 4, network_id: 1, site_id: 11, name: 'Hall', version }]);
    await world.insert(devices, [{ device_id: 5, network_id: 1, location_id: 4, name: 'Screen', retired: 0, version }]);
    await world.insert(feeders, [
      { feeder_id: 6, network_id: 1, device_id: 5, name: 'Eye', only_camera_id: 9, retired: 0, version },
    ]);
    await world.insert(cameras, [{ camera_id: 9, network_id: 1, device_id: 5, name: 'Lens', version }]);
    await world.insert(campaigns, [
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
    await world.insert(creatives, [
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
    await world.register([{ id: 1, name: 'One', sites: [11] }]);
    await reloadDictionaries(world.writer);
    await world.insert(coffee, [
      coffeeRow(seen),
      coffeeRow({ network_id: 1, number: 1, ts: noon + 300, vendor: 'nobody', campaign_ref: 'x', creative_ref: 'x' }),
    ]);
    await world.insert(watcherSummary, [
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
    ({ token } = await world.client(1));
  });
  after(() => world.close());

  it('are 63 of coffee and 19 of watcher-summary', () => {
    expect(coffeeDataset.columns).length(63);
    expect(watcherSummaryDataset.columns).length(19);
  });

  it('all stand in a JSON row of coffee, in order', async () => {
    const [row] = (await pageAt(world, '/api/v1/coffee', day, token)).rows;
    expect(row).deep.equal(expected);
    expect(Object.keys(row ?? {})).deep.equal(coffeeDataset.columns.map(({ name }) => name));
  });

  it('are null where nothing is known', async () => {
    const row = (await pageAt(world, '/api/v1/coffee', day, token)).rows[1];
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

  it('all stand in a JSON row of watcher-summary, in order', async () => {
    const [row, other] = (await pageAt(world, '/api/v1/watcher-summary', day, token)).rows;
    expect(row).deep.equal(observed);
    expect(Object.keys(row ?? {})).deep.equal(watcherSummaryDataset.columns.map(({ name }) => name));
    expect(other).include({ CAM_ID: 10, CAMERA_NAME: null, SITE_ID: null, ATTENTION: 0 });
  });

  for (const [path, dataset, first] of [
    ['/api/v1/coffee/download', coffeeDataset, expected],
    ['/api/v1/watcher-summary/download', watcherSummaryDataset, observed],
  ] as const)
    it(`are the same in CSV at ${path}`, async () => {
      const [header, row, other, ...rest] = await csvOf(path);
      expect(header).deep.equal(dataset.columns.map(({ name }) => name));
      expect(row).deep.equal(Object.values(first).map(written));
      expect(other).length(dataset.columns.length);
      expect(rest).deep.equal([]);
    });

  it('make formulas of a spreadsheet harmless when asked, in text alone', async () => {
    const [header, row] = await csvOf('/api/v1/coffee/download', '&excel_safe=true');
    const field = (name: string) => row?.[header?.indexOf(name) ?? -1];
    expect(field('EVENT_ID')).equal("'=1+1");
    expect(field('REID')).equal("'@reid");
    expect(field('DISPLAY_TITLE')).equal("'-shown");
    expect(field('WATCHERID')).equal('-7');
    expect(field('TITLE')).equal(title);
    expect(field('DT_START_SITE_TZ')).equal(expected.DT_START_SITE_TZ);
  });

  it('prefix each beginning that a spreadsheet runs, and no other', async () => {
    const texts = ['=a', '+a', '-a', '@a', '\ta', '\ra', '\n=a', '\0=a', "'a", ' =a', 'a=', '', 'ä'];
    await world.insert(
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
