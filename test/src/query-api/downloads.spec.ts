import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { coffeeDataset, watcherSummaryDataset } from '@popsvc/contracts/datasets';
import { coffee, watcherSummary } from '@popsvc/contracts/tables';
import { expect } from 'chai';
import { readCsv } from './csv-reader.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { coffeeRow, noon, watcherRow } from './rows.fixture.ts';
import { bearer, openWorld, type World } from './world.fixture.ts';

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';
const many = 40_000;

/** As much as can be decompressed of what was cut. */
const whatIsThere = async (zipped: Buffer): Promise<Buffer> => {
  const text: Buffer[] = [];
  const gunzip = createGunzip().on('data', (chunk: Buffer) => text.push(chunk));
  const failed = new Promise((resolve) => gunzip.once('error', resolve).once('end', () => resolve(undefined)));
  gunzip.end(zipped);
  expect(await failed, 'the compressed text has an end').instanceOf(Error);
  return Buffer.concat(text);
};

describe('downloads', () => {
  let world: World;
  let token: string;
  const csv = async (path: string, more = '', who = token) => {
    const answer = await world.get(`/api/v1/${path}/download?${window}${more}`, bearer(who));
    expect(answer.status).equal(200);
    return { headers: answer.headers, records: readCsv(await answer.text()) };
  };
  /** The response of a download of which nothing has been read yet. */
  const begin = async (who: string, more = '', coding = 'identity'): Promise<IncomingMessage> => {
    const request = get(`${world.url}/api/v1/coffee/download?${window}${more}`, {
      agent: false,
      headers: { ...bearer(who), 'accept-encoding': coding },
    });
    request.on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };
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
    world = await openWorld({ downloads: { each: 2, together: 3 } });
    await world.register([
      { id: 1, name: 'One', sites: [11] },
      { id: 2, name: 'Two', sites: [21] },
      { id: 3, name: 'Empty' },
    ]);
    const rows = Array.from({ length: many }, (_, index) =>
      coffeeRow({ network_id: 1, ts: noon + (index % 1_000), number: index, site_id: index % 2 === 0 ? 11 : 0 }),
    );
    await world.insert(coffee, rows);
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

  describe('of which the server fails midway', () => {
    const view = (condition: string) =>
      world.writer.run(`CREATE OR REPLACE VIEW coffee_live AS SELECT * FROM coffee_g1 FINAL WHERE ${condition}`);
    /** At the last row, and not before the others are on their way. */
    const late = `throwIf(if(number = ${many - 1}, sleepEachRow(0.3) = 0, 0), 'the secret of the house') = 0`;
    after(() => view('1'));

    it('are cut, so that nobody takes them for whole, and tell nothing of the inside', async () => {
      await view(`${late} SETTINGS max_block_size = 500, short_circuit_function_evaluation = 'force_enable'`);
      const response = await begin(token);
      expect(response.statusCode).equal(200);
      const chunks: Buffer[] = [];
      const failure = await (async () => {
        for await (const chunk of response) chunks.push(chunk as Buffer);
      })().catch((error: unknown) => error);
      expect(failure, 'the transfer was broken').instanceOf(Error);
      expect(response.complete).equal(false);
      const text = Buffer.concat(chunks).toString();
      expect(text.length).above(100_000);
      expect(text).not.match(/secret of the house|exception|Code:/i);
    });

    for (const format of ['csv', 'ndjson', 'parquet'])
      for (const coding of ['identity', 'gzip'])
        it(`are never whole, ${format} with ${coding}`, async () => {
          await view(`${late} SETTINGS max_block_size = 500, short_circuit_function_evaluation = 'force_enable'`);
          const response = await begin(token, `&format=${format}`, coding);
          const chunks: Buffer[] = [];
          const failure = await (async () => {
            for await (const chunk of response) chunks.push(chunk as Buffer);
          })().catch((error: unknown) => error);
          // A row group of Parquet may be larger than all there is: then nothing had been sent, and it is an ordinary error.
          if (response.statusCode === 500) {
            expect(format).equal('parquet');
            expect(response.headers['content-encoding']).equal(undefined);
            return;
          }
          expect(failure, 'the transfer was broken').instanceOf(Error);
          expect(response.complete).equal(false);
          const bytes = Buffer.concat(chunks);
          const text = coding === 'gzip' ? await whatIsThere(bytes) : bytes;
          expect(text.toString('latin1')).not.match(/secret of the house|exception|Code:/i);
        });

    it('are an ordinary error when they fail before the first byte', async () => {
      await view(`throwIf(number >= 0, 'the secret of the house') = 0`);
      const answer = await world.get(`/api/v1/coffee/download?${window}`, bearer(token));
      const body = await expectRefused(answer, 500, 'INTERNAL');
      expect(JSON.stringify(body)).not.contain('secret');
      expect(answer.headers.get('content-disposition')).equal(null);
      const page = await world.get(`/api/v1/coffee?${window}`, bearer(token));
      expect(JSON.stringify(await expectRefused(page, 500, 'INTERNAL'))).not.contain('secret');
    });

    it('give their places back', async () => {
      await view('1');
      for (let round = 0; round < 4; round++) await csv('coffee', '&limit=1');
    });
  });
});
