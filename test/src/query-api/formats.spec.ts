import { allDatasets, coffeeDataset, typedColumns, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPage } from './pages.fixture.ts';
import { readParquet, readParquetInClickHouse } from './parquet-reader.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { coffeeRow, minute, noon, watcherRow } from './rows.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const day = { from: '2026-08-20T00:00:00Z', to: '2026-08-21T00:00:00Z' };
const window = new URLSearchParams(day).toString();
const ndjson = 'application/x-ndjson';
const parquet = 'application/vnd.apache.parquet';
const count = 3_000;

const detectionFields = (index: number) => ({
  detection_id: `d-${index}`,
  detected_from: noon,
  detected_to: noon + 4_000,
  watch_starts: [noon + 100, noon + 900],
  watch_ends: [noon + 500, noon + 1_900],
  watch_ms: 1_400,
  presence_ms: 4_000,
  distance: index % 2 === 0 ? [1.5, 2] : [],
  is_business_hour: 1,
  reid: 'ä"\n,',
});

/**
 * The expected values of the columns that only Parquet has, by name, from the row of the JSON page. Every column of `typedOnlyColumns` of
 * coffee needs one.
 */
const typedOnlyValues: Readonly<Record<string, (row: Readonly<Record<string, unknown>>) => unknown>> = {};

/** Converts a row of a JSON page to the row in Parquet. */
const typedRow = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    coffeeDataset.columns.flatMap(({ name, type, valueKind, times }): [string, unknown][] => {
      const value = row[name];
      if (valueKind === 'instants') return [[name, ((value ?? []) as string[]).map((text) => new Date(text))]];
      if (type === 'array') return [[name, value ?? []]];
      if (value === null || (type !== 'timestamp' && type !== 'date')) {
        const isLocal = type === 'timestamp' && times?.local !== undefined;
        return [name, ...(isLocal ? [`${name}_LOCAL`, `${name}_OFFSET_MINUTES`] : [])].map((each) => [each, value]);
      }
      const text = value as string;
      if (times?.local === undefined) return [[name, new Date(text)]];
      const [sign, hours, minutes] = [text.slice(23, 24), text.slice(24, 26), text.slice(27, 29)];
      return [
        [name, new Date(text)],
        [`${name}_LOCAL`, text.slice(0, 23)],
        [`${name}_OFFSET_MINUTES`, (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes))],
      ];
    }),
  ),
  ...Object.fromEntries(Object.entries(typedOnlyValues).map(([name, valueOf]) => [name, valueOf(row)])),
});

describe('the formats of reports', () => {
  let api: TestQueryApi;
  let token: string;
  const request = (path: string, more = '', headers = {}) =>
    api.get(`/api/v1/${path}?${window}${more}`, { ...bearer(token), ...headers });
  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

  before(async () => {
    api = await startTestQueryApi();
    await api.register([
      { id: 1, name: 'One', sites: [11] },
      { id: 2, name: 'Empty' },
    ]);
    const rows = Array.from({ length: count }, (_, index) =>
      coffeeRow({
        network_id: 1,
        ts: noon + Math.floor(index / 3) * minute,
        number: 9_007_199_254_740_991 - index,
        site_id: index % 2 === 0 ? 11 : 0,
        // Zones ahead of UTC and behind it, one with an offset that is not a full hour.
        site_tz: index % 4 === 0 ? 'America/St_Johns' : 'Europe/London',
        ...(index % 3 > 0 && detectionFields(index)),
      }),
    );
    await api.insert(coffee, rows.slice(0, 1_000));
    await api.insert(coffee, rows.slice(1_000));
    await api.insert(watcherSummary, [watcherRow({ network_id: 1, number: 1, watch_ms: 333, detection_ms: 1_001 })]);
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  for (const path of ['coffee', 'watcher-summary'])
    it(`return the rows of a page of ${path} as lines, equal to the JSON page`, async () => {
      const page = await readPage(api, `/api/v1/${path}`, { ...day, limit: 500 }, token);
      const answer = await request(path, '&limit=500&format=ndjson');
      expect(answer.headers.get('content-type')).equal(ndjson);
      expect(answer.headers.get('x-total')).equal(String(page.total));
      expect(answer.headers.get('x-next-after')).equal(page.next_after);
      const text = await answer.text();
      expect(text.endsWith('\n')).equal(true);
      const lines = text.slice(0, -1).split('\n');
      expect(lines.map((line) => JSON.parse(line) as unknown)).deep.equal(page.rows);
      expect(lines).deep.equal(page.rows.map((row) => JSON.stringify(row)));
    });

  it('continue by X-Next-After until it is absent', async () => {
    const ids: number[] = [];
    let after: string | null = null;
    do {
      const answer = await request('coffee', `&limit=700&format=ndjson${after === null ? '' : `&after=${after}`}`);
      const lines = (await answer.text()).trimEnd().split('\n');
      ids.push(...lines.map((line) => (JSON.parse(line) as { DETAILID: number }).DETAILID));
      after = answer.headers.get('x-next-after');
    } while (after !== null);
    // The day ends 720 minutes after noon.
    expect(new Set(ids).size).equal(2_160);
    expect(ids).length(2_160);
  });

  it('are empty without rows, but Parquet has the names of the columns', async () => {
    const { token: none } = await api.client(2);
    const of = (path: string) => api.get(`/api/v1/${path}&${window}`, bearer(none));
    const page = await of('coffee?format=ndjson');
    expect([await page.text(), page.headers.get('x-total'), page.headers.get('x-next-after')]).deep.equal([
      '',
      '0',
      null,
    ]);
    expect(await (await of('coffee/download?format=ndjson')).text()).equal('');
    for (const dataset of allDatasets) {
      const { columns, rows } = await readParquet(await bytesOf(await of(`${dataset.name}/download?format=parquet`)));
      expect(columns.map(({ name }) => name)).deep.equal(typedColumns(dataset).map(({ name }) => name));
      expect(rows).deep.equal([]);
    }
  });

  for (const more of ['', '&limit=7', '&limit=7&offset=5', '&offset=2100', '&site_id=11&limit=9'])
    it(`contain the same rows in the same order in files (${more || 'all'})`, async () => {
      const page = await readPage(
        api,
        '/api/v1/coffee',
        { ...day, limit: 5_000, ...(more.includes('site') && { site_id: 11 }) },
        token,
      );
      const parameters = new URLSearchParams(more);
      const from = Number(parameters.get('offset') ?? 0);
      const expected = page.rows.slice(from, from + Number(parameters.get('limit') ?? 5_000));
      const lines = await (await request('coffee/download', `${more}&format=ndjson`)).text();
      expect(lines).equal(expected.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const { rows } = await readParquet(await bytesOf(await request('coffee/download', `${more}&format=parquet`)));
      expect(rows).deep.equal(expected.map(typedRow));
    });

  it('have one type per column in Parquet, for any rows', async () => {
    for (const dataset of allDatasets) {
      const file = await bytesOf(await request(`${dataset.name}/download`, '&format=parquet'));
      const { columns } = await readParquet(file);
      expect(columns).deep.equal(typedColumns(dataset).map(({ name, parquetType }) => ({ name, type: parquetType })));
    }
    const { columns } = await readParquet(await bytesOf(await request('coffee/download', '&format=parquet')));
    expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).include({
      WATCH_TIME: 'DOUBLE',
      DETAILID: 'INT64',
      DISTANCE: 'LIST<DOUBLE>',
      IS_BUSINESSHOUR: 'BOOLEAN',
      DT_START_SITE_TZ: 'TIMESTAMP(MILLIS, UTC)',
      DT_START_SITE_TZ_LOCAL: 'STRING',
      DT_START_SITE_TZ_OFFSET_MINUTES: 'INT32',
      WATCH_TIMESTAMP_SITE_TZ_DETAILS: 'LIST<TIMESTAMP(MILLIS, UTC)>',
      SILVER_STAGE_TIMESTAMP: 'TIMESTAMP(MILLIS, UTC)',
      DT_ONLY_SITE_TZ: 'DATE',
    });
    expect(columns.some(({ name }) => name === 'SILVER_STAGE_TIMESTAMP_LOCAL')).equal(false);
  });

  it('have instants in Parquet that ClickHouse reads as times, with local times and offsets of each site', async () => {
    const page = await readPage(api, '/api/v1/coffee', { ...day, limit: 5_000 }, token);
    const path = join(await temporaryFolder('parquet'), 'coffee.parquet');
    await writeFile(path, await bytesOf(await request('coffee/download', '&format=parquet')));
    const [read] = await readParquetInClickHouse(
      path,
      `toTypeName(any(DT_START_SITE_TZ)) AS type, toTypeName(any(DT_ONLY_SITE_TZ)) AS date_type, count() AS rows,
       sum(toUnixTimestamp64Milli(DT_START_SITE_TZ)) AS instants,
       countIf(addMinutes(DT_START_SITE_TZ, DT_START_SITE_TZ_OFFSET_MINUTES)
         = parseDateTime64BestEffort(DT_START_SITE_TZ_LOCAL, 3, 'UTC')) AS consistent,
       arraySort(groupUniqArray(DT_START_SITE_TZ_OFFSET_MINUTES)) AS offsets,
       countIf(DETECTION_TIMESTAMP_SITE_TZ IS NULL) AS undetected`,
    );
    expect(read).deep.equal({
      type: "Nullable(DateTime64(3, 'UTC'))",
      date_type: 'Nullable(Date32)',
      rows: page.rows.length,
      instants: page.rows.reduce((sum, row) => sum + Date.parse(row['DT_START_SITE_TZ'] as string), 0),
      consistent: page.rows.length,
      offsets: [-150, 60],
      undetected: page.rows.filter((row) => row['DETECTION_TIMESTAMP_SITE_TZ'] === null).length,
    });
  });

  it('have more columns in Parquet of watcher-summary, such as the network level of the hierarchy of places', async () => {
    const { rows } = await readParquet(await bytesOf(await request('watcher-summary/download', '&format=parquet')));
    const names = watcherSummaryDataset.typedOnlyColumns.map(({ name }) => name);
    expect(rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))).deep.equal([
      { NETWORK_ID: 1, NETWORK_NAME: 'One' },
    ]);
  });

  it('set the content type and the file name', async () => {
    for (const [format, type] of [
      ['csv', 'text/csv; charset=utf-8'],
      ['ndjson', ndjson],
      ['parquet', parquet],
    ] as const) {
      const { headers } = await request('watcher-summary/download', `&format=${format}`);
      expect(headers.get('content-type')).equal(type);
      const name = `watcher-summary_20260820_20260821.${format}`;
      expect(headers.get('content-disposition')).equal(`attachment; filename="${name}"`);
    }
  });

  it('follow an Accept header only if it is exactly one of two types', async () => {
    const typeOf = async (path: string, accept: string, more = '') =>
      (await request(path, more, { accept })).headers.get('content-type');
    const [csv, json] = ['text/csv; charset=utf-8', 'application/json; charset=utf-8'];
    for (const [accept, page, file] of [
      [ndjson, ndjson, ndjson],
      [' Application/X-NDJSON ', ndjson, ndjson],
      [parquet, json, parquet],
      ['*/*', json, csv],
      ['text/csv', json, csv],
      ['text/html', json, csv],
      [`${ndjson}, */*`, json, csv],
      [`${ndjson};q=1`, json, csv],
      [`${parquet}, ${ndjson}`, json, csv],
    ] as const) {
      expect(await typeOf('coffee', accept, '&limit=1'), accept).equal(page);
      expect(await typeOf('coffee/download', accept, '&limit=1'), accept).equal(file);
    }
    expect(await typeOf('coffee', ndjson, '&limit=1&format=json')).equal(json);
    expect(await typeOf('coffee/download', parquet, '&limit=1&format=csv')).equal(csv);
    const refused = await request('coffee/download', '&excel_safe=false', { accept: ndjson });
    await expectRefused(refused, 400, 'INVALID_PARAM', 'excel_safe');
  });
});
