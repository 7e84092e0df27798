import { setTimeout as sleep } from 'node:timers/promises';
import { allProjections } from '@popsvc/projectors/projections';
import { dropGenerationTables, shortenHistory } from '@popsvc/read-models/generations';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import fc from 'fast-check';
import { chooseRounds, chooseSeed } from '../support/rounds.ts';
import {
  type ChangingReport,
  type DatasetName,
  datasets,
  nameSteps,
  rowSteps,
  startChangingReport,
} from './changing-report.fixture.ts';
import { Follower, type Get, inFiles, inPages, type Row, sortRows } from './follower.fixture.ts';
import { readParquet } from './parquet-reader.fixture.ts';

const coffee = allProjections.find(({ name }) => name === 'coffee')!;
const rounds = chooseRounds(20, 300);
const seed = chooseSeed(20_261_130);

describe(`changes of a report (${rounds} steps, seed ${seed})`, function () {
  this.timeout(300_000 + rounds * 20_000);
  const all = [...Object.values(rowSteps), ...Object.values(nameSteps)];
  const steps = fc.sample(fc.oneof(...all), { seed, numRuns: rounds });
  let report: ChangingReport;

  /** Repeats a request while query-api has not read yet that lost rows are derived again. */
  const getWhenReadable: Get = async (...request) => {
    const until = performance.now() + 30_000;
    for (;;) {
      const response = await report.get(...request);
      if (response.status !== 503 || performance.now() > until) return response;
      await sleep(100);
    }
  };

  /** Polls until the follower has the rows of the report: query-api reads the progress four times a second. */
  const expectSame = async (dataset: DatasetName, follower: Follower, sites = '') => {
    const until = performance.now() + 30_000;
    for (;;) {
      await follower.poll();
      const { text } = await getWhenReadable(dataset, '', `${report.window}&limit=5000${sites}`);
      const { rows } = (JSON.parse(text) as { data: { rows: Row[] } }).data;
      const [expected, found] = [sortRows(rows), sortRows(follower.rows.values())];
      if (performance.now() > until)
        expect(found.filter((row) => !expected.includes(row)).join(), `${dataset}${sites}`).to.equal(
          expected.filter((row) => !found.includes(row)).join(),
        );
      if (JSON.stringify(found) === JSON.stringify(expected)) return;
    }
  };

  before(async () => {
    report = await startChangingReport();
  });
  after(() => report.close());

  it('give the report when they are applied, from any cursor, and through replays', async () => {
    const followers = datasets.flatMap((dataset) => [
      { dataset, sites: '', follower: new Follower(inPages(report.get, dataset, 'limit=7')) },
      { dataset, sites: '&site_id=2', follower: new Follower(inPages(report.get, dataset, 'limit=100&site_id=2')) },
      { dataset, sites: '', follower: new Follower(inFiles(report.get, dataset, 'format=ndjson')) },
      { dataset, sites: '&site_id=2', follower: new Follower(inFiles(report.get, dataset, 'site_id=2')) },
    ]);
    const cursors: { dataset: DatasetName; since: string; rows: Map<number, Row> }[] = [];
    for (const [index, step] of steps.entries()) {
      await report.take(step, index % 4 === 3);
      for (const { dataset, sites, follower } of followers) await expectSame(dataset, follower, sites);
      const { dataset, follower } = followers[(index % 4) * 2]!;
      const rows = new Map([...follower.rows].map(([key, row]) => [key, { ...row }]));
      cursors.push({ dataset, since: follower.since!, rows });
      if (index === Math.floor(rounds / 2)) for (const each of datasets) await report.replay(each);
    }
    for (const { dataset, since, rows } of cursors.slice(-Math.floor(rounds / 2))) {
      const later = new Follower(inPages(report.get, dataset, 'limit=1000'));
      for (const [key, row] of rows) later.rows.set(key, row);
      later.since = since;
      await expectSame(dataset, later);
    }
    const { follower } = followers[0]!;
    const before = follower.changes;
    await follower.poll();
    expect(follower.changes).to.equal(before);
  });

  it('begin now at the cursor of /changes/start', async () => {
    const { text } = await report.get('coffee', '/changes/start');
    const follower = new Follower(inPages(report.get, 'coffee', 'limit=100'));
    follower.since = (JSON.parse(text) as { data: { next_since: string } }).data.next_since;
    await follower.poll();
    expect(follower.changes).to.equal(0);
  });

  it('end before rows that are to be derived, or were lost and are derived again', async () => {
    const follower = new Follower(inPages(getWhenReadable, 'coffee', 'limit=100'));
    await follower.poll();
    const before = follower.changes;
    await report.take({ kind: 'plays', ids: [29, 30], campaign: 101 }, false);
    await report.take({ kind: 'detection', id: 9, second: 58 }, false);
    const pend = (version: number, isDeleted: number) =>
      report.services.writer.run(
        `INSERT INTO coffee_pending_g2 (network_id, screen_id, from_at, to_at, cause, as_of, slices, pos, version, is_deleted)
         SELECT 1, 'screen-1', toDateTime64('2026-08-20 14:00:00', 3, 'UTC'), toDateTime64('2026-08-20 14:05:00', 3, 'UTC'),
           'damaged', now64(3), 1, 1, ${version}, ${isDeleted}`,
      );
    await pend(1, 0);
    const reading = new Follower(inPages(report.get, 'coffee', 'limit=100'));
    reading.since = follower.since;
    // Once query-api has read that rows are lost, it refuses to read them.
    await reading.poll().catch((error: unknown) => expect(String(error)).to.include('REBUILDING'));
    expect(reading.changes).to.equal(0);
    await pend(2, 1);
    await expectSame('coffee', follower);
    expect(follower.changes).to.be.greaterThan(before);
  });

  it('have the types of the report in Parquet files', async () => {
    const response = await fetch(`${report.services.queryUrl}/api/v1/coffee/changes/download?format=parquet`, {
      headers: report.headers,
    });
    expect(response.status).to.equal(200);
    const { rows } = await readParquet(Buffer.from(await response.arrayBuffer()));
    expect(rows.length).to.be.greaterThan(10);
    expect(rows[0]).to.include.keys('OP', 'KEY', 'RENAMED_TO', 'DETAILID', 'DT_START_SITE_TZ_LOCAL');
  });

  it('rename every name that a Parquet file shows, and send rows again with the version that they had', async () => {
    const changesOf = async (dataset: DatasetName, since?: string) => {
      const url = `${report.services.queryUrl}/api/v1/${dataset}/changes/download?format=parquet${since === undefined ? '' : `&since=${since}`}`;
      const response = await fetch(url, { headers: report.headers });
      expect(response.status).to.equal(200);
      const next = response.headers.get('x-next-since')!;
      return { rows: (await readParquet(Buffer.from(await response.arrayBuffer()))).rows, next };
    };
    const before = await changesOf('coffee');
    const { next } = await changesOf('watcher-summary');
    await report.take({ kind: 'rename', of: 'networks', index: 0, name: 'other' }, false);
    await report.take({ kind: 'rename', of: 'vendors', index: 0, name: 'player' }, false);
    const until = performance.now() + 30_000;
    const renamedOf = async (dataset: DatasetName, since: string) => {
      for (;;) {
        const { rows } = await changesOf(dataset, since);
        if (rows.some(({ RENAMED_TO }) => RENAMED_TO === 'other') || performance.now() > until) return rows;
        await sleep(100);
      }
    };
    const renamed = await renamedOf('watcher-summary', next);
    expect(renamed.map(({ OP, RENAMED_KIND }) => `${String(OP)} ${String(RENAMED_KIND)}`)).to.include('rename network');
    const again = await renamedOf('coffee', before.next);
    const versionOf = new Map(before.rows.map(({ KEY, VERSION }) => [KEY, VERSION]));
    const resent = again.filter(({ MEDIA_PLAYER_NAME }) => MEDIA_PLAYER_NAME === 'player');
    expect(resent.length).to.be.greaterThan(5);
    for (const { KEY, VERSION } of resent) expect(VERSION).to.equal(versionOf.get(KEY));
  });

  it('refuse a cursor with sites if former rows that show what left them were deleted', async () => {
    const read = async (query: string) => {
      const { status, text } = await getWhenReadable('coffee', '/changes', query);
      if (status !== 200) return { status, text };
      const { data } = JSON.parse(text) as { data: { next_since: string } };
      return { status, text, since: data.next_since };
    };
    const [all, sites] = [await read('limit=1000'), await read('limit=1000&site_id=2')];
    await shortenHistory(report.services.writer, { projection: coffee, generation: 2 });
    await report.take({ kind: 'plays', ids: [28], campaign: 102 }, false);
    const gone = await waitUntil(
      () => read(`since=${sites.since}&site_id=2`),
      ({ status }) => status === 410,
    );
    expect(gone.text).to.include('former rows of sites');
    expect(await read(`since=${all.since}`)).to.include({ status: 200 });
    const fresh = await read('limit=1&site_id=2');
    expect(await read(`since=${fresh.since}&site_id=2`)).to.include({ status: 200 });
  });

  it('refuse a cursor of tables that no longer exist, and what is no cursor', async () => {
    const { text } = await report.get('coffee', '/changes/start');
    const { next_since: since } = (JSON.parse(text) as { data: { next_since: string } }).data;
    const cursor = JSON.parse(Buffer.from(since, 'base64url').toString()) as object;
    const edited = (change: object) => Buffer.from(JSON.stringify({ ...cursor, ...change })).toString('base64url');
    const invalid = ['abc', edited({ namesMs: 9e15 }), edited({ namesMs: -9e15 }), edited({ version: '9'.repeat(20) })];
    for (const text of invalid)
      expect(await report.get('coffee', '/changes', `since=${text}`)).to.include({ status: 400 });
    expect(await report.get('coffee', '/changes', `since=${edited({ generation: 2 ** 40 })}`)).to.include({
      status: 410,
    });
    expect(await report.get('watcher-summary', '/changes', `since=${since}`)).to.include({ status: 400 });
    await report.replay('coffee');
    await dropGenerationTables(report.services.writer, { projection: coffee, generation: 2 });
    const gone = await report.get('coffee', '/changes', `since=${since}`);
    expect(gone.status).to.equal(410);
    expect(JSON.parse(gone.text)).to.have.nested.property('error.code', 'HISTORY_GONE');
  });
});
