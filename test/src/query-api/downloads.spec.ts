import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { coffee, watcherSummary } from '@popsvc/read-models/tables';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { linesIn } from '@popsvc/tools/rig';
import { readCsv } from './csv-reader.fixture.ts';
import { beginDownload, crowded } from './downloads.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { coffeeRow, watcherRow } from './rows.fixture.ts';
import { shortLived } from './short-lived.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const many = 40_000;

describe('downloads', () => {
  let world: World;
  let token: string;
  const logged: string[] = [];
  const csv = async (path: string, more = '', who = token) => {
    const answer = await world.get(`/api/v1/${path}/download?${window}${more}`, bearer(who));
    expect(answer.status).equal(200);
    return { headers: answer.headers, records: readCsv(await answer.text()) };
  };
  const begin = (who: string) => beginDownload(world, who);
  const running = async () =>
    (
      await world.writer.rows<{ n: number }>(
        `SELECT toUInt32(count()) AS n FROM system.processes WHERE user = 'popsvc_reader' AND current_database = '${world.database}'`,
      )
    )[0]?.n;
  const untilNoneRuns = async (withinMs: number) => {
    const end = performance.now() + withinMs;
    while ((await running()) !== 0 && performance.now() < end) await sleep(20);
    expect(await running(), 'queries that still run').equal(0);
  };

  before(async function () {
    this.timeout(120_000);
    const log = createLog('test', 'info', { write: (line: string) => void logged.push(line) });
    world = await openWorld({ downloads: { each: 2, together: 3 }, log });
    await world.register([
      { id: 1, name: 'One', sites: [11] },
      { id: 2, name: 'Two', sites: [21] },
      { id: 3, name: 'Empty' },
    ]);
    await world.insert(coffee, crowded(many));
    await world.insert(coffee, [coffeeRow({ network_id: 2, number: 1 })]);
    await world.insert(
      watcherSummary,
      [1, 2, 3].map((number) => watcherRow({ network_id: 1, number })),
    );
    ({ token } = await world.client(1));
  });
  after(() => world.close());

  it('hold every row once and in the order of pages', async () => {
    const { records } = await csv('coffee');
    const ids = records.slice(1).map((record) => Number(record[7]));
    const due = Array.from({ length: many }, (_, index) => index).sort(
      (one, other) => (one % 1_000) - (other % 1_000) || one - other,
    );
    expect(ids).deep.equal(due);
  });

  it('take limit, offset and sites', async () => {
    const ids = async (more: string) => (await csv('coffee', more)).records.slice(1).map((record) => Number(record[7]));
    expect(await ids('&limit=3')).deep.equal([0, 1_000, 2_000]);
    expect(await ids('&limit=2&offset=1')).deep.equal([1_000, 2_000]);
    expect(await ids(`&offset=${many - 1}`)).deep.equal([many - 1]);
    expect(await ids(`&offset=${many}`)).deep.equal([]);
    expect(await ids('&limit=5000')).length(5_000);
    expect(await ids('&site_id=11')).length(many / 2);
  });

  it('have a header row when there are no rows', async () => {
    const { token: none } = await world.client(3);
    for (const [path, dataset] of [
      ['coffee', coffeeDataset],
      ['watcher-summary', watcherSummaryDataset],
    ] as const)
      expect((await csv(path, '', none)).records).deep.equal([dataset.columns.map(({ name }) => name)]);
  });

  it('are files with the dates of the window in their names', async () => {
    const { headers } = await csv('watcher-summary');
    expect(headers.get('content-type')).equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).equal('attachment; filename="watcher-summary_20260820_20260821.csv"');
    const { headers: other } = await csv('coffee', '&limit=1');
    expect(other.get('content-disposition')).equal('attachment; filename="coffee_20260820_20260821.csv"');
    const late = 'from=2026-08-20T23:30:00-02:00&to=2026-08-31T00:00:00%2B02:00';
    const answer = await world.get(`/api/v1/coffee/download?${late}&limit=1`, bearer(token));
    expect(answer.headers.get('content-disposition')).equal('attachment; filename="coffee_20260821_20260830.csv"');
    await answer.text();
  });

  it('are told in the log: who asked for what', async () => {
    logged.length = 0;
    await csv('coffee', '&limit=1');
    const [line] = logged.filter((each) => each.includes('a file was asked for'));
    expect(JSON.parse(line ?? '{}')).deep.include({ dataset: 'coffee', format: 'csv', network_id: 1 });
    expect(line).match(/"caller":"client [\w-]+"/);
    expect(line).include('"from":"2026-08-20T00:00:00.000Z","to":"2026-08-21T00:00:00.000Z"');
    expect(line).not.include(token.slice(-16));
  });

  it('answer HEAD without asking for rows', async () => {
    const answer = await fetch(`${world.url}/api/v1/coffee/download?${window}`, {
      method: 'HEAD',
      headers: bearer(token),
    });
    expect(answer.status).equal(200);
    expect(await answer.text()).equal('');
  });

  it('stop the query within a second when the client goes away, and wait for one who reads slowly', async function () {
    this.timeout(30_000);
    const response = await begin(token);
    await once(response, 'readable');
    await sleep(300);
    expect(await running()).equal(1);
    // What is in flight is bounded by buffers, so the query waits as long as nobody reads.
    await sleep(1_000);
    expect(await running()).equal(1);
    response.destroy();
    await untilNoneRuns(1_000);
  });

  it('are read to their end though the token that began them expires', async function () {
    this.timeout(30_000);
    const short = await shortLived(world, token);
    const response = await begin(short);
    await once(response, 'readable');
    const ask = () => world.get(`/api/v1/metric-definitions`, bearer(short));
    for (let answer = await ask(); answer.status !== 401; answer = await ask()) {
      expect(answer.status).equal(200);
      await answer.text();
      await sleep(100);
    }
    expect(await running(), 'rows are still to come').equal(1);
    let lines = 0;
    for await (const chunk of response) lines += linesIn(chunk as Uint8Array);
    expect([lines, response.complete]).deep.equal([many + 1, true]);
    const next = await world.get(`/api/v1/coffee/download?${window}`, bearer(short));
    expect(next.headers.get('www-authenticate')).include('invalid_token');
    await expectRefused(next, 401, 'UNAUTHORIZED');
  });

  it('are at most so many for one caller and for all', async function () {
    this.timeout(30_000);
    const { token: other } = await world.client(1);
    const open = [await begin(token), await begin(token)];
    for (const response of open) await once(response, 'readable');
    const mine = await world.get(`/api/v1/coffee/download?${window}`, bearer(token));
    expect(mine.headers.get('retry-after')).equal('5');
    await expectRefused(mine, 429, 'RATE_LIMITED');
    const third = await begin(other);
    await once(third, 'readable');
    const fourth = await world.get(`/api/v1/coffee/download?${window}`, bearer((await world.client(1)).token));
    expect(fourth.headers.get('retry-after')).equal('5');
    await expectRefused(fourth, 503, 'UNAVAILABLE');
    for (const response of [...open, third]) response.destroy();
    await untilNoneRuns(2_000);
    await csv('coffee', '&limit=1');
  });
});
