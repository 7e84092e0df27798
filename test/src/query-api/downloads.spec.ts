import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import sinon from 'sinon';
import { countLineEnds, waitUntil } from '@popsvc/tools/rig';
import { readCsv } from './csv-reader.fixture.ts';
import { beginDownload, rowsOfOneSecond } from './downloads.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { coffeeRow, watcherRow } from './rows.fixture.ts';
import { expireInHour } from './short-lived.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const many = 40_000;

describe('downloads', () => {
  let api: TestQueryApi;
  let token: string;
  let clock: sinon.SinonFakeTimers | undefined;
  const logged: string[] = [];
  const csv = async (path: string, more = '', who = token) => {
    const answer = await api.get(`/api/v1/${path}/download?${window}${more}`, bearer(who));
    expect(answer.status).equal(200);
    return { headers: answer.headers, records: readCsv(await answer.text()) };
  };
  const begin = (who: string) => beginDownload(api, who);
  const countRunning = async () =>
    (
      await api.writer.rows<{ n: number }>(
        `SELECT toUInt32(count()) AS n FROM system.processes WHERE query LIKE '%CSVWithNames%' AND user = 'popsvc_reader' AND current_database = '${api.database}'`,
      )
    )[0]?.n;
  const waitUntilNoneRuns = () => waitUntil(countRunning, (queries) => queries === 0);

  before(async function () {
    const log = createLog('test', 'info', { write: (line: string) => void logged.push(line) });
    api = await startTestQueryApi({ downloads: { perCaller: 2, total: 3 }, log });
    await api.register([
      { id: 1, name: 'One', sites: [11] },
      { id: 2, name: 'Two', sites: [21] },
      { id: 3, name: 'Empty' },
    ]);
    await api.insert(coffee, rowsOfOneSecond(many));
    await api.insert(coffee, [coffeeRow({ network_id: 2, number: 1 })]);
    await api.insert(
      watcherSummary,
      [1, 2, 3].map((number) => watcherRow({ network_id: 1, number })),
    );
    ({ token } = await api.client(1));
  });
  afterEach(() => clock?.restore());
  after(() => api.close());

  it('contain every row once, in the order of pages', async () => {
    const { records } = await csv('coffee');
    const ids = records.slice(1).map((record) => Number(record[7]));
    const expected = Array.from({ length: many }, (_, index) => index).sort(
      (one, other) => (one % 1_000) - (other % 1_000) || one - other,
    );
    expect(ids).deep.equal(expected);
  });

  it('apply limit, offset and site_id', async () => {
    const ids = async (more: string) => (await csv('coffee', more)).records.slice(1).map((record) => Number(record[7]));
    expect(await ids('&limit=3')).deep.equal([0, 1_000, 2_000]);
    expect(await ids('&limit=2&offset=1')).deep.equal([1_000, 2_000]);
    expect(await ids(`&offset=${many - 1}`)).deep.equal([many - 1]);
    expect(await ids(`&offset=${many}`)).deep.equal([]);
    expect(await ids('&limit=5000')).length(5_000);
    expect(await ids('&site_id=11')).length(many / 2);
  });

  it('have a header row when there are no rows', async () => {
    const { token: none } = await api.client(3);
    for (const [path, dataset] of [
      ['coffee', coffeeDataset],
      ['watcher-summary', watcherSummaryDataset],
    ] as const)
      expect((await csv(path, '', none)).records).deep.equal([dataset.columns.map(({ name }) => name)]);
  });

  it('have the dates of the window in the file name', async () => {
    const { headers } = await csv('watcher-summary');
    expect(headers.get('content-type')).equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).equal('attachment; filename="watcher-summary_20260820_20260821.csv"');
    const { headers: other } = await csv('coffee', '&limit=1');
    expect(other.get('content-disposition')).equal('attachment; filename="coffee_20260820_20260821.csv"');
    const late = 'from=2026-08-20T23:30:00-02:00&to=2026-08-31T00:00:00%2B02:00';
    const answer = await api.get(`/api/v1/coffee/download?${late}&limit=1`, bearer(token));
    expect(answer.headers.get('content-disposition')).equal('attachment; filename="coffee_20260821_20260830.csv"');
    await answer.text();
  });

  it('are logged with caller, dataset and window', async () => {
    logged.length = 0;
    await csv('coffee', '&limit=1');
    const [line] = logged.filter((each) => each.includes('download started'));
    expect(JSON.parse(line ?? '{}')).deep.include({ dataset: 'coffee', format: 'csv', network_id: 1 });
    expect(line).match(/"caller":"client [\w-]+"/);
    expect(line).include('"from":"2026-08-20T00:00:00.000Z","to":"2026-08-21T00:00:00.000Z"');
    expect(line).not.include(token.slice(-16));
  });

  it('respond to HEAD without a query', async () => {
    const answer = await fetch(`${api.url}/api/v1/coffee/download?${window}`, {
      method: 'HEAD',
      headers: bearer(token),
    });
    expect(answer.status).equal(200);
    expect(await answer.text()).equal('');
  });

  it('stop the query when the client disconnects, and wait for a client that reads slowly', async function () {
    const response = await begin(token);
    await once(response, 'readable');
    await sleep(300);
    expect(await countRunning()).equal(1);
    // Buffers are bounded, so the query waits while the client does not read.
    await sleep(1_000);
    expect(await countRunning()).equal(1);
    response.destroy();
    await waitUntilNoneRuns();
  });

  it('continue after their token expires', async function () {
    const short = await expireInHour(api, token);
    const response = await begin(short);
    await once(response, 'readable');
    const request = async () => {
      const answer = await api.get(`/api/v1/metric-definitions`, bearer(short));
      await answer.text();
      return answer.status;
    };
    expect(await request()).equal(200);
    clock = sinon.useFakeTimers({ now: Date.now() + 2 * 3_600_000, toFake: ['Date'], shouldAdvanceTime: true });
    expect(await request()).equal(401);
    expect(await countRunning(), 'rows are still to come').equal(1);
    let lines = 0;
    for await (const chunk of response) lines += countLineEnds(chunk as Uint8Array);
    expect([lines, response.complete]).deep.equal([many + 1, true]);
    const next = await api.get(`/api/v1/coffee/download?${window}`, bearer(short));
    expect(next.headers.get('www-authenticate')).include('invalid_token');
    await expectRefused(next, 401, 'UNAUTHORIZED');
  });

  it('are limited per caller and in total', async function () {
    const { token: other } = await api.client(1);
    const open = [await begin(token), await begin(token)];
    for (const response of open) await once(response, 'readable');
    const mine = await api.get(`/api/v1/coffee/download?${window}`, bearer(token));
    expect(mine.headers.get('retry-after')).equal('5');
    await expectRefused(mine, 429, 'RATE_LIMITED');
    const third = await begin(other);
    await once(third, 'readable');
    const fourth = await api.get(`/api/v1/coffee/download?${window}`, bearer((await api.client(1)).token));
    expect(fourth.headers.get('retry-after')).equal('5');
    await expectRefused(fourth, 503, 'UNAVAILABLE');
    for (const response of [...open, third]) response.destroy();
    await waitUntilNoneRuns();
    await csv('coffee', '&limit=1');
  });
});
