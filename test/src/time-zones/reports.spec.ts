import { coffeeDataset } from '@popsvc/read-models/datasets';
import { coffee } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { type AnalystsSystem, startAnalystsSystem } from '../analysts/analysts.fixture.ts';
import { readCsv } from '../query-api/csv-reader.fixture.ts';
import { readPage } from '../query-api/pages.fixture.ts';
import { readParquet } from '../query-api/parquet-reader.fixture.ts';
import { coffeeRow } from '../query-api/rows.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';

/** With the rules of ClickHouse: `2026-10-22T11:00:00.000-11:00` in Apia, and 07:30 -08:00 in Vancouver. */
const cases = [
  {
    zone: 'Pacific/Apia',
    played: '2026-10-21T22:00:00.000Z',
    start: '2026-10-22T11:00:00.000+13:00',
    end: '2026-10-22T11:00:10.000+13:00',
    labels: {
      HOUR_SITE_TZ: '11',
      TIME_RANGE_SITE_TZ: '11:00-12:00',
      DAY_SITE_TZ: 'Thursday',
      DT_ONLY_SITE_TZ: '2026-10-22',
    },
    local: ['2026-10-22 11:00:00.000', '2026-10-22', 11, 'Thursday'],
  },
  {
    zone: 'America/Vancouver',
    played: '2026-11-20T15:30:00.000Z',
    start: '2026-11-20T08:30:00.000-07:00',
    end: '2026-11-20T08:30:10.000-07:00',
    labels: {
      HOUR_SITE_TZ: '08',
      TIME_RANGE_SITE_TZ: '08:00-09:00',
      DAY_SITE_TZ: 'Friday',
      DT_ONLY_SITE_TZ: '2026-11-20',
    },
    local: ['2026-11-20 08:30:00.000', '2026-11-20', 8, 'Friday'],
  },
] as const;

describe('local times of reports in zones that ClickHouse has other rules for', () => {
  let api: TestQueryApi;
  let token: string;
  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One' }]);
    await api.insert(
      coffee,
      cases.map(({ zone, played }, index) =>
        coffeeRow({ network_id: 1, ts: Date.parse(played), number: index + 1, site_tz: zone }),
      ),
    );
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  for (const { zone, played, start, end, labels } of cases) {
    const dayMs = 86_400_000;
    const [from, to] = [0, dayMs].map((ms) => new Date(Date.parse(played) + ms).toISOString()) as [string, string];
    const expected = {
      DT_START_SITE_TZ: start,
      DT_END_SITE_TZ: end,
      SITE_TZ: zone,
      MONTH: start.slice(0, 7),
      ...labels,
    };
    const request = (path: string, format: string) =>
      api.get(`/api/v1/${path}?${new URLSearchParams({ from, to, format }).toString()}`, bearer(token));

    it(`are those of the law in ${zone}, in JSON, NDJSON and CSV`, async () => {
      expect((await readPage(api, '/api/v1/coffee', { from, to }, token)).rows[0]).to.include(expected);
      expect(JSON.parse(await (await request('coffee/download', 'ndjson')).text())).to.include(expected);
      const [names = [], ...rows] = readCsv(await (await request('coffee/download', 'csv')).text());
      expect(rows).to.have.length(1);
      expect(Object.fromEntries(names.map((name, index) => [name, rows[0]![index]]))).to.include(expected);
    });

    it(`are those of the law in ${zone}, in Parquet`, async () => {
      const file = await readParquet(Buffer.from(await (await request('coffee/download', 'parquet')).arrayBuffer()));
      const [row] = file.rows;
      expect(row!['DT_START_SITE_TZ']).to.deep.equal(new Date(played));
      expect(row).to.include({
        DT_START_SITE_TZ_LOCAL: start.slice(0, 23),
        DT_START_SITE_TZ_OFFSET_MINUTES: Number(start.slice(23, 26)) * 60,
        HOUR_SITE_TZ: labels.HOUR_SITE_TZ,
        DAY_SITE_TZ: labels.DAY_SITE_TZ,
      });
    });
  }
});

describe('plays at sites in zones that ClickHouse has other rules for', () => {
  let world: AnalystsSystem;
  before(async () => {
    world = await startAnalystsSystem([{ name: 'anna', networks: [1] }]);
    const [site] = smallRegistry.sites;
    const hours = { thu: ['11:00-12:00'], fri: ['08:00-22:00'] };
    await world.system.register({
      ...smallRegistry,
      sites: [
        site,
        { id: 21, name: 'Apia', network: 1, timezone: 'Pacific/Apia', business_hours: hours },
        { id: 22, name: 'Vancouver', network: 1, timezone: 'America/Vancouver', business_hours: hours },
        // ClickHouse does not know this zone.
        {
          id: 23,
          name: 'Coyhaique',
          network: 1,
          timezone: 'America/Coyhaique',
          business_hours: { wed: ['09:00-10:00'] },
        },
      ],
      locations: [...smallRegistry.locations, ...[21, 22, 23].map((id) => ({ id: id + 10, name: 'Hall', site: id }))],
      devices: [
        ...smallRegistry.devices,
        ...[21, 22, 23].map((id) => ({ id: id + 20, name: 'Screen', location: id + 10, screen_ids: [`at-${id}`] })),
      ],
    });
    await world.system.play({ eventId: 'apia', screenId: 'at-21', playedAt: cases[0].played });
    await world.system.play({ eventId: 'vancouver', screenId: 'at-22', playedAt: cases[1].played });
    await world.system.play({ eventId: 'coyhaique', screenId: 'at-23', playedAt: '2026-07-01T12:00:00.000Z' });
    await world.system.project();
  });
  after(() => world.system.close());

  it('are in the opening hours of local time', async () => {
    const rows = await world.system.rows(coffeeDataset);
    expect(
      rows.map((row) => [row['EVENT_ID'], row['DT_START_SITE_TZ'], row['HOUR_SITE_TZ'], row['IS_BUSINESSHOUR']]).sort(),
    ).to.deep.equal([
      ['apia', cases[0].start, '11', true],
      ['coyhaique', '2026-07-01T09:00:00.000-03:00', '09', true],
      ['vancouver', cases[1].start, '08', true],
    ]);
  });

  it('have the local times, dates, hours and weekdays of the law in the views of analysts', async () => {
    const rows = await world.rows<Record<string, unknown>>(
      world.analysts[0]!,
      'SELECT timezone, toString(local_time) AS time, toString(local_date) AS date, local_hour AS hour, local_weekday AS day FROM plays ORDER BY timezone DESC LIMIT 2',
    );
    expect(rows).to.deep.equal(
      cases.map(({ zone, local: [time, date, hour, day] }) => ({ timezone: zone, time, date, hour, day })),
    );
  });

  it('have the offsets of the law in the view time_zones of analysts', async () => {
    const rows = await world.rows<Record<string, unknown>>(
      world.analysts[0]!,
      `SELECT p.timezone AS timezone, toString(p.played_at + toIntervalSecond(z.offset_seconds)) AS time, p.played_at < z.ends_at AS within
       FROM plays AS p ASOF JOIN time_zones AS z ON z.zone = p.timezone AND z.starts_at <= p.played_at
       ORDER BY timezone DESC LIMIT 2`,
    );
    expect(rows).to.deep.equal(cases.map(({ zone, local: [time] }) => ({ timezone: zone, time, within: 1 })));
  });
});
