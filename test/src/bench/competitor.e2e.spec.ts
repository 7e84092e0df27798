import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { intakeStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import type { Pool } from 'pg';
import { sharedPostgres } from '../support/engines.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import {
  columnNames,
  createApp,
  openCompetitorPool,
  prepareCompetitorDatabase,
  campaignSummarySql,
  seedApiKey,
  seedRegistry,
  monthBatches,
  month,
  monthWindow,
  campaigns,
  network,
  registry,
  vendor,
} from '@popsvc/tools/bench';
import { listEvent, type ListEventType } from '../support/list-events.ts';

type Row = Readonly<Record<string, unknown>>;

/** Columns that the competitor lacks, because they contain row numbers and positions of the log. */
const logColumns = ['DETAILID', 'DELTA_ID', 'SILVER_STAGE_TIMESTAMP', 'SF_DELTA_ID'];
const inOrder = (rows: readonly Row[]): readonly Row[] =>
  rows
    .map(({ STREAM_STAGE_TIMESTAMP: _, ...row }) => row)
    .toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)));
const keyOf = (row: Row) => `${String(row['DT_START_SITE_TZ'])} ${String(row['EVENT_ID'])} ${String(row['WATCHERID'])}`;

describe('the competitor of the benchmarks', function () {
  const data = month(400);
  const apiKey = 'bench_sk_competitor';
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  let pool: Pool;
  let server: Server;
  let url: string;
  let system: TestSystem;

  const post = async (path: string, body: unknown): Promise<number> => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await response.text();
    return response.status;
  };
  const get = async (path: string, more = ''): Promise<Response> =>
    fetch(`${url}/api/v1/coffee${path}?from=${monthWindow.from}&to=${monthWindow.to}${more}`, { headers });
  const page = async (more: string) => {
    const { data } = (await (await get('', more)).json()) as {
      data: { total: number; count: number; next_after: string | null; rows: Row[] };
    };
    return data;
  };

  before(async () => {
    pool = openCompetitorPool(await (await sharedPostgres()).freshDatabase(prepareCompetitorDatabase));
    await seedRegistry(pool, RegistryFile.parse(registry));
    await seedApiKey(pool, apiKey, network, vendor);
    server = createApp(pool).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    system = await startTestSystem();
    await system.register(registry);
    for (const { plays, people } of monthBatches(data, 100)) {
      expect(await post('/popsvc/v1/pop/events', { events: plays })).to.equal(202);
      expect(await post('/popsvc/v1/detections', { detections: people })).to.equal(202);
      const append = (kind: 'pop' | 'detection', type: ListEventType, items: readonly unknown[]) =>
        system.appendAll(intakeStream(kind, network, vendor, Date.now()), [listEvent(type, ...items)], {
          network,
          vendor,
        });
      await append('pop', 'PlaysRecorded', plays);
      await append('detection', 'DetectionsRecorded', people);
    }
    await system.project();
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await pool.end();
    await system.close();
  });

  it('returns the same rows as popsvc, except the columns of the log', async () => {
    const ours = (await system.rows(coffeeDataset)).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !logColumns.includes(name))),
    );
    const { rows, total, count, next_after } = await page('&limit=5000');
    expect([total, count, next_after]).to.deep.equal([data.rows, data.rows, null]);
    expect(Object.keys(rows[0]!)).to.deep.equal(Object.keys(ours[0]!));
    expect(inOrder(rows)).to.deep.equal(inOrder(ours));
    // The data covers both values of each flag and both UTC offsets.
    for (const flag of ['IS_IMPRESSION', 'IS_VIEW', 'IS_VIEW_THROUGH', 'IS_BUSINESSHOUR'])
      expect(new Set(rows.map((row) => row[flag])).size, flag).to.equal(2);
    expect(new Set(rows.map((row) => String(row['DT_START_SITE_TZ']).slice(-6)))).to.have.length(2);
  });

  it('returns every row exactly once over all pages', async () => {
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const { rows, next_after }: Awaited<ReturnType<typeof page>> = await page(
        `&limit=70${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`,
      );
      seen.push(...rows.map(keyOf));
      after = next_after;
    }
    expect(seen).to.have.length(data.rows);
    expect(new Set(seen).size).to.equal(data.rows);
  });

  it('writes all rows as CSV', async () => {
    const lines: string[][] = parse(await (await get('/download')).text());
    expect(lines[0]).to.deep.equal([...columnNames]);
    expect(lines).to.have.length(data.rows + 1);
  });

  it('sums up campaigns like popsvc', async () => {
    const { rows } = await pool.query<Row>(campaignSummarySql, [network, monthWindow.from, monthWindow.to]);
    expect(rows).to.have.length(campaigns);
    const count = (name: string) => rows.reduce((sum, row) => sum + Number(row[name]), 0);
    expect(count('plays')).to.equal(data.plays);
    const flagged = (await system.rows(coffeeDataset)).filter((row) => row['IS_VIEW'] === 1);
    expect(count('views')).to.equal(flagged.length).greaterThan(0);
  });

  it('ignores repeated events, and refuses invalid events and unknown keys', async () => {
    const [piece] = monthBatches(data, 100);
    expect(await post('/popsvc/v1/pop/events', { events: piece!.plays })).to.equal(202);
    expect(await post('/popsvc/v1/detections', { detections: piece!.people })).to.equal(202);
    const { rows } = await pool.query<{ count: number }>('SELECT count(*) AS count FROM plays');
    expect(rows[0]?.count).to.equal(data.plays);
    expect(await post('/popsvc/v1/pop/events', { events: [{ ...piece!.plays[0], durationMs: 0 }] })).to.equal(400);
    expect((await fetch(`${url}/api/v1/coffee`)).status).to.equal(401);
  });
});
