import { analystLimits, analystViews, datasetColumns } from '@popsvc/read-models/analysts';
import { allDatasets } from '@popsvc/read-models/datasets';
import { expect } from 'chai';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { read } from '../architecture/tree.fixture.ts';
import { type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';
import { fillGuide, openOutageOfRetired } from './guide.fixture.ts';

const page = 'docs/guides/analysts.md';
const savedQueries = read(page).split('## Saved queries')[1]!;
const titles = [...savedQueries.matchAll(/^### (.*)$/gm)].map(([, title = '']) => title);

/** Replaces a time that only the run determines. */
const recent = 'within the last hour';

/** The queries of the guide, without the results that follow them, by title. */
const queries = blocksOf(page, 'sql').map((block) => block.split(';\n')[0]!);

/** Counted by hand from the fixture. */
const expected: Readonly<Record<string, readonly unknown[]>> = {
  'Freshness of the views': ['audience', 'devices', 'heartbeats', 'outages', 'plays', 'vendor_balance', 'watchers'].map(
    (view) => ['Harbour Media', view, recent],
  ),
  // On the 20th in UTC, p1 has one detection, p2 two, and p3 one. The other three plays have none.
  "Numbers of a partner's report": [['Harbour Media', 7, 6, 4, 4]],
  // The play of the 19th at 22:30 UTC is one of the 20th in Berlin.
  'Plays and contacts by local day': [
    ['Harbour Media', '2026-08-20', 7, 4],
    ['Harbour Media', '2026-08-21', 1, 1],
  ],
  // The test replaces the booked plays. C-3 is not registered and has no plays.
  'Plays delivered against booked': [
    [1, 'C-1', 'Coats', 4, 3, 75],
    [1, 'C-3', null, 2, 0, 0],
  ],
  // Seven plays of ten seconds: four of them shoes. Available: twelve hours of each of three screens, less 58 minutes of an outage,
  // which is 126,120 seconds. The retired device and the kiosk played nothing.
  'Share of time by campaign': [
    ['Harbour Media', 62, 'Shoes', 40, 57.1, 0.032],
    ['Harbour Media', 61, 'Coats', 30, 42.9, 0.024],
  ],
  // Coats: one person at p1 and p2, the other at p2. Shoes: the other at p3, the first at p7.
  // The first person watches p1 for 9 s, p2 for 2 s and p7 for 1 s.
  'Contacts, sessions and attention by campaign': [
    ['Harbour Media', 61, 'Coats', 2, 3, 1.5, 11, 3667],
    ['Harbour Media', 62, 'Shoes', 2, 2, 1, 1, 500],
  ],
  'Contacts and sessions by campaign and day': [
    ['Harbour Media', 61, 'Coats', '2026-08-20', 2, 3],
    ['Harbour Media', 62, 'Shoes', '2026-08-20', 1, 1],
    ['Harbour Media', 62, 'Shoes', '2026-08-21', 1, 1],
  ],
  // Two of the three persons at coats look, and one of the two at shoes. p1 is watched for 9 of its 10 s.
  'Conversion and view-through by creative': [
    ['Harbour Media', 'CR-1', 'Coat spot', 3, 3, 66.7, 3, 33.3],
    ['Harbour Media', 'CR-2', 'Shoe spot', 2, 2, 50, 2, 0],
  ],
  // Five contacts at five measured plays: 1 is the average. Four plays at 14:00 with five contacts, one at 15:00 with none.
  // Presence of 10 + 10 + 8 + 5 and 10 s, watch time of 9 + 2 and 1 s.
  'Contacts and attention by daypart': [
    ['midday', 4, 5, 125, 27.9],
    ['afternoon', 1, 0, 0, null],
  ],
  // Detections of 20, 13 and 10 s, with watch times of 11, 0 and 1 s.
  'Dwell and watch time by site': [['Harbour Media', 11, 'Station', 2, 14.33, 4, 66.7]],
  // Both devices have the same name; one of them has two screens.
  'Screen utilization by hour': [
    ['Harbour Media', 31, 'Screen', 'screen-1', '2026-08-20T12:00:00Z', 3, 0.83],
    ['Harbour Media', 32, 'Screen', 'screen-2', '2026-08-20T12:00:00Z', 2, 0.56],
    ['Harbour Media', 31, 'Screen', 'screen-3', '2026-08-20T13:00:00Z', 1, 0.28],
    ['Harbour Media', 31, 'Screen', 'screen-1', '2026-08-21T12:00:00Z', 1, 0.28],
  ],
  // Two plays an hour during one hour. Of three hours, one is in the range, at five plays in three hours.
  'Plays missed during outages': [
    ['Harbour Media', 31, 'Screen', 1, 2],
    ['Harbour Media', 32, 'Screen', 0.967, 2],
  ],
  'Viewing sessions by site, gender and age': [
    ['Harbour Media', 11, 'Station', 'female', 'adult', 1],
    ['Harbour Media', 11, 'Station', 'male', 'adult', 1],
  ],
  // Shoes: two contacts, at four plays of which two were measured.
  'Contacts per measured play': [
    ['Harbour Media', 61, 'Coats', 3, 3, 1, 1],
    ['Harbour Media', 62, 'Shoes', 4, 2, 0.5, 1],
  ],
  // The mall has three devices. One was retired later, and one has only heartbeats of an app, from 11:00 of the first day. The
  // outage, from 14:01 to 14:59, begins and ends between quarter hours.
  'Uptime by site': [
    ['Harbour Media', 12, 'Mall', 3, 35, 0.967, 97.24],
    ['Harbour Media', 11, 'Station', 1, 12, 0, 100],
  ],
  // The play of the 21st was received on the 20th.
  'Event outcomes and late data by vendor': [['Harbour Media', 'acme', 'Acme player', 11, 9, 81.8, 1, 1, 0, 0, 0, 1]],
  // Of the second play, the first person is present for 10 s, the other for 8 s.
  'Thresholds of a row': [
    ['p1', 1, 10, 1, 1, 0.5, 2, 0.75, 0.5],
    ['p2', 1, 10, 1, 1, 0.5, 2, 0.75, 0.5],
    ['p2', 2, 8, 1, 1, 0.5, 2, 0.75, 0.5],
  ],
};

describe('The guide for analysts', function () {
  let analysts: AnalystsSystem;
  before(async () => {
    analysts = await startAnalystsSystem([{ name: 'anna', networks: [1] }]);
    await fillGuide(analysts.system);
  });
  after(() => analysts.system.close());

  const resultOf = async (sql: string, format: string): Promise<string> => {
    const settings = 'date_time_output_format=iso&output_format_json_quote_64bit_integers=0';
    const { username, password } = analysts.analysts[0]!;
    const response = await fetch(`${analysts.url}/?database=${analysts.database}&${settings}`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
      body: `${sql.trim().replace(/;$/, '')} FORMAT ${format}`,
    });
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return text;
  };
  const rowsOf = async (sql: string): Promise<readonly unknown[]> =>
    (await resultOf(sql, 'JSONCompactEachRow'))
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));

  it('has named queries, each with a definition, names that it must not have, and an expected result', () => {
    expect(titles).to.deep.equal(Object.keys(expected));
    expect(queries).to.have.length(titles.length);
    for (const section of savedQueries.split('\n### ').slice(1)) {
      const [explanation = ''] = section.split('```sql');
      expect(explanation.split('\n').slice(1).join('').trim(), section.slice(0, 40)).to.match(
        /^\*\*Definition:\*\* .{20}.*\*\*Do not call it\*\* .{10}/,
      );
    }
  });

  it('calls no result reach, because a person who returns is not recognised', () => {
    expect(savedQueries.match(/^.*\breach\b.*$/gim)).to.have.length(1);
    expect(savedQueries).to.include('**Do not call it** reach and frequency');
  });

  queries.forEach((sql, index) =>
    it(`returns the expected rows: ${titles[index]!}`, async () => {
      // The fixture's events were received on two days.
      const ofFixture = sql
        .replace('now() - INTERVAL 1 DAY', "'2026-08-20 00:00:00'")
        .replace(/arrayJoin\(\[.*?\]\)/, "arrayJoin([(1, 'C-1', 4), (1, 'C-3', 2)])");
      const rows = (await rowsOf(ofFixture)) as readonly (readonly unknown[])[];
      const isRecent = (value: unknown) => Math.abs(Date.now() - Date.parse(String(value))) < 3_600_000;
      expect(rows.map((row) => row.map((value) => (isRecent(value) ? recent : value)))).to.deep.equal(
        expected[titles[index]!],
      );
    }),
  );

  it('counts what a partner counts in coffee', async () => {
    const coffee = allDatasets.find(({ name }) => name === 'coffee')!;
    const isOfDay = ({ DT_START_SITE_TZ: start }: Readonly<Record<string, unknown>>) =>
      new Date(String(start)).toISOString().startsWith('2026-08-20');
    const rows = (await analysts.system.rows(coffee)).filter(isOfDay);
    const flagged = rows.filter((row) => row['IS_IMPRESSION'] === 1);
    const countDistinct = (of: typeof rows, ...columns: string[]) =>
      new Set(of.map((row) => columns.map((column) => row[column]).join('|'))).size;
    expect(await rowsOf(queries[titles.indexOf("Numbers of a partner's report")]!)).to.deep.equal([
      [
        'Harbour Media',
        rows.length,
        countDistinct(rows, 'MEDIA_PLAYER_NAME', 'EVENT_ID'),
        flagged.length,
        countDistinct(flagged, 'MEDIA_PLAYER_NAME', 'EVENT_ID', 'WATCHERID'),
      ],
    ]);
  });

  it('compares plays in opening hours with the exact time in which devices were open and online', async () => {
    const sql = queries[titles.indexOf('Share of time by campaign')]!.replace(
      "'2026-08-20 00:00:00'",
      "'2026-08-19 22:00:00'",
    ).replace("'2026-08-22 00:00:00'", "'2026-08-20 14:13:00'");
    // A play of shoes is at night. Three screens are open for 4 h 13 min, one of them offline for the last 12 min: 44,820 seconds.
    expect(await rowsOf(sql)).to.deep.equal([
      ['Harbour Media', 62, 'Shoes', 40, 57.1, 0.067],
      ['Harbour Media', 61, 'Coats', 30, 42.9, 0.067],
    ]);
  });

  it('counts the sets of thresholds of a range', async () => {
    const [, sql = ''] = /`(SELECT uniqExact\([^`]* FROM viewing_thresholds [^`]*)`/.exec(savedQueries)!;
    expect(await rowsOf(sql)).to.deep.equal([[1]]);
  });

  it('counts opening hours once where clocks are set back', async () => {
    const sql = queries[titles.indexOf('Uptime by site')]!.replace(
      "'2026-08-20 00:00:00'",
      "'2026-08-19 22:00:00'",
    ).replace("'2026-08-22 00:00:00'", "'2026-11-01 00:00:00'");
    // The device is open for six hours on eleven Thursdays and eleven Fridays. The last ones are in winter time.
    const [, station] = (await rowsOf(sql)) as readonly (readonly unknown[])[];
    expect(station!.slice(0, 5)).to.deep.equal(['Harbour Media', 11, 'Station', 1, 132]);
  });

  it('counts the outage of a retired device up to its retirement', async () => {
    await openOutageOfRetired(analysts.system, '2026-08-22T11:00:00Z');
    const [[retiredAt]] = (await rowsOf('SELECT retired_at FROM devices WHERE device_id = 33')) as [[string]];
    const hours = (Date.parse(retiredAt) - Date.parse('2026-08-22T11:00:00Z')) / 3_600_000;
    const sql = queries[titles.indexOf('Plays missed during outages')]!.replace(
      "'2026-08-20 00:00:00'",
      "'2026-08-22 00:00:00'",
    )
      .replace(
        "toDateTime64('2026-08-22 00:00:00', 3, 'UTC') AS to_time",
        "toDateTime64('2100-01-01 00:00:00', 3, 'UTC') AS to_time",
      )
      .replace('now64(3)', "toDateTime64('2099-01-01 00:00:00', 3, 'UTC')");
    const [row] = (await rowsOf(sql)) as readonly (readonly unknown[])[];
    expect(row!.slice(0, 3)).to.deep.equal(['Harbour Media', 33, 'Old screen']);
    expect(row![3]).to.be.closeTo(hours, 0.001);
  });

  it('has columns with the values of the columns of datasets that the reference names', async () => {
    const idsOf = { plays: 'EVENT_ID', audience: 'EVENT_ID', watchers: 'SITE_TIMESTAMP_SITE_TZ' } as const;
    for (const [view, { dataset, columns }] of Object.entries(datasetColumns)) {
      const names = Object.keys(columns);
      const reported = await analysts.system.rows(allDatasets.find(({ name }) => name === dataset)!);
      // A withdrawn detection is a row of 0 seconds in watcher-summary.
      const isShown = (row: Readonly<Record<string, unknown>>) =>
        view === 'audience' ? row['WATCHERID'] !== null : view !== 'watchers' || row['DURATION'] !== 0;
      const valueOf = (value: unknown) => (typeof value === 'boolean' ? Number(value) : value);
      const comparable = (value: unknown) =>
        typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : valueOf(value);
      const textsOf = (rows: readonly (readonly unknown[])[]) =>
        [...new Set(rows.map((row) => JSON.stringify(row.map(comparable))))].toSorted();
      const isOwn = (row: Readonly<Record<string, unknown>>) => isShown(row) && row[idsOf[view as 'plays']] !== null;
      expect(textsOf((await rowsOf(`SELECT ${names.join(', ')} FROM ${view}`)) as never), view).to.deep.equal(
        textsOf(reported.filter(isOwn).map((row) => names.map((name) => row[columns[name]!]))),
      );
      if (view === 'watchers')
        expect(
          reported.filter((row) => !isShown(row)),
          'withdrawn',
        ).to.have.length(1);
    }
  });

  it('returns heartbeats by hour and the online status of devices, for which late heartbeats do not count', async () => {
    const heartbeats = `SELECT kind, device, heartbeat_count, minutes_with_heartbeats FROM heartbeats WHERE hour = '2026-08-20 12:00:00' ORDER BY kind`;
    expect(await rowsOf(heartbeats)).to.deep.equal([
      ['device', 'Screen', 3, 3],
      ['feeder', 'Screen', 1, 1],
    ]);
    expect(
      await rowsOf('SELECT device, location, site, last_heartbeat_at, online FROM devices ORDER BY device_id'),
    ).to.deep.equal([
      ['Screen', 'Hall', 'Station', null, 0],
      ['Screen', 'Door', 'Mall', null, 0],
      ['Old screen', 'Door', 'Mall', null, 0],
      ['Kiosk', 'Door', 'Mall', null, 0],
    ]);
  });

  it('documents the limits of the settings profile', () => {
    const { settings, quota } = analystLimits;
    expect([settings['max_execution_time'], settings['max_memory_usage'], settings['max_threads']]).to.deep.equal([
      60, 3e8, 1,
    ]);
    expect([settings['max_result_rows'], settings['max_concurrent_queries_for_user']]).to.deep.equal([1e6, 4]);
    expect([quota['queries'], quota['execution_time']]).to.deep.equal([1_000, 1_200]);
  });

  it('has views whose columns have the documented types and comments', async () => {
    const [writer, { database }] = [analysts.system.writer, analysts];
    for (const { name, columns, about } of analystViews) {
      const [view] = await writer.rows<{ comment: string; as_select: string }>(
        `SELECT comment, as_select FROM system.tables WHERE database = '${database}' AND name = '${name}'`,
      );
      expect(view!.comment, name).to.equal(about);
      const stored = await writer.rows<{ name: string; type: string; comment: string }>(
        `SELECT name, type, comment FROM system.columns WHERE database = '${database}' AND table = '${name}'`,
      );
      expect(stored.map((column) => [column.name, column.type, column.comment])).to.deep.equal(
        Object.entries(columns).map(([column, { type, about: comment }]) => [column, type, comment]),
      );
      const selected = await writer.rows<{ name: string; type: string }>(`DESCRIBE (${view!.as_select})`);
      expect(selected.map((column) => `${name}.${column.name} ${column.type}`)).to.deep.equal(
        Object.entries(columns).map(([column, { type }]) => `${name}.${column} ${type}`),
      );
    }
  });

  it('has one view whose rows are of no network', () => {
    const { views, networkViews } = analysts;
    expect(views.filter((view) => !networkViews.includes(view))).to.deep.equal(['time_zones']);
  });

  it('exposes no storage columns', () => {
    const names = analystViews.flatMap(({ columns }) => Object.keys(columns));
    expect(names.filter((name) => /version|pos$|is_deleted|projected|recorded/.test(name))).to.deep.equal([]);
  });
});
