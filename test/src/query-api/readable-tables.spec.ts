import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import {
  limitedTo,
  liveViewName,
  openClickHouseReader,
  openClickHouseWriter,
  type ClickHouseReader,
  type Sql,
  sql,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import { cacheRead } from '@popsvc/platform/runtime';
import { rejectUnreadableTables } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { sharedClickHouse } from '../support/engines.ts';
import { waitUntil } from '@popsvc/tools/rig';

const rowsOf = (name: string): Sql => sql`SELECT 1 AS one FROM ${liveViewName({ name })}`;

describe('a reader that rejects unreadable tables', function () {
  let [writer, reader]: [ClickHouseWriter, ClickHouseReader] = [undefined!, undefined!];
  before(async () => {
    const engine = await sharedClickHouse();
    const options = { url: `${engine.url}/${await engine.database()}`, ...engine.writer };
    [writer, reader] = [openClickHouseWriter(options), openClickHouseReader(options)];
    for (const name of ['old', 'fresh']) await writer.run(`CREATE VIEW ${name}_live AS SELECT 1 AS one`);
    await writer.run('CREATE TABLE verified_runs (verified_at UInt8) ENGINE = Memory');
    await setUnreadable('');
    await setDamagedRanges('');
  });
  after(() => Promise.all([writer.close(), reader.close()]));

  const reported: string[] = [];
  const readRun = async () =>
    (await reader.rows<{ run: string }>(sql`SELECT min(toString(verified_at)) AS run FROM verified_runs`))[0]?.run ||
    undefined;
  const guardedReader = (of: ClickHouseReader = reader, options = {}) =>
    rejectUnreadableTables(of, (relations) => reported.push(...relations), options);
  const errorOf = (result: Promise<unknown>) =>
    result.then(
      () => undefined,
      (error: unknown) => error as ApiError,
    );
  const setUnreadable = (pairs: string) =>
    writer.run(`CREATE OR REPLACE VIEW incomplete_live AS
      SELECT each.1 AS name, each.2 AS reason FROM (SELECT arrayJoin(CAST([${pairs}], 'Array(Tuple(String, String))')) AS each)`);
  /** `ranges`: tuples of a name, a network and two times. */
  const setDamagedRanges = (ranges: string) =>
    writer.run(`CREATE OR REPLACE VIEW damaged_ranges_live AS
      SELECT each.1 AS name, each.2 AS network_id, toDateTime64(each.3, 3, 'UTC') AS from_at, toDateTime64(each.4, 3, 'UTC') AS to_at
      FROM (SELECT arrayJoin(CAST([${ranges}], 'Array(Tuple(String, UInt64, String, String))')) AS each)`);
  let verified = 0;
  const verify = () => writer.run(`INSERT INTO verified_runs VALUES (${(verified += 1)})`);
  const restart = () => writer.run('TRUNCATE TABLE verified_runs');

  it('rejects every query until the tables were verified', async () => {
    const guarded = guardedReader();
    expect(await errorOf(guarded.rows(rowsOf('old')))).to.include({ code: 'UNAVAILABLE', retryAfterSeconds: 2 });
    await verify();
    await waitUntil(
      () => errorOf(guarded.rows(rowsOf('old'))),
      (error) => error === undefined,
    );
  });

  it('rejects tables that an upgrade added, and damaged tables with REBUILDING', async () => {
    const guarded = guardedReader();
    await setUnreadable(`('fresh', 'upgrade')`);
    expect(await errorOf(guarded.rows(rowsOf('fresh')))).to.include({ code: 'UNAVAILABLE', retryAfterSeconds: 60 });
    expect(await guarded.rows(rowsOf('old'))).to.have.length(1);
    await setUnreadable(`('fresh', 'damage')`);
    const error = await waitUntil(
      () => errorOf(guarded.rows(rowsOf('fresh'))),
      (found) => found?.code !== 'UNAVAILABLE',
    );
    expect(error).to.include({ code: 'REBUILDING', retryAfterSeconds: 30 });
    await setUnreadable('');
    await waitUntil(
      () => errorOf(guarded.rows(rowsOf('fresh'))),
      (found) => found === undefined,
    );
  });

  it('rejects queries that read damaged time ranges of their network, and no others', async () => {
    const guarded = guardedReader();
    await setDamagedRanges(`('fresh', 1, '2026-08-20 00:00:00', '2026-08-20 12:00:00')`);
    const readWithin = (network: number, from: string, to: string, name = 'fresh') => {
      const source = limitedTo({ network, fromMs: Date.parse(from), toMs: Date.parse(to) }, liveViewName({ name }));
      return errorOf(guarded.rows(sql`SELECT 1 AS one FROM ${source}`)).then((error) => error?.code);
    };
    await waitUntil(
      () => readWithin(1, '2026-08-20T11:59:59Z', '2026-08-21T00:00:00Z'),
      (code) => code === 'REBUILDING',
    );
    expect(await readWithin(1, '2026-08-19T00:00:00Z', '2026-08-20T00:00:00.001Z')).to.equal('REBUILDING');
    expect(await readWithin(1, '2026-08-19T00:00:00Z', '2026-08-20T00:00:00Z')).to.equal(undefined);
    expect(await readWithin(1, '2026-08-20T12:00:00Z', '2026-08-21T00:00:00Z')).to.equal(undefined);
    expect(await readWithin(2, '2026-08-20T00:00:00Z', '2026-08-21T00:00:00Z')).to.equal(undefined);
    expect(await readWithin(1, '2026-08-20T00:00:00Z', '2026-08-21T00:00:00Z', 'old')).to.equal(undefined);
    // A query without declared limits may read any row.
    const limited = limitedTo({ network: 2, fromMs: 0, toMs: 1 }, liveViewName({ name: 'fresh' }));
    expect(await errorOf(guarded.rows(rowsOf('fresh')))).to.include({ code: 'REBUILDING', retryAfterSeconds: 30 });
    const both = sql`SELECT 1 AS one FROM ${limited} UNION ALL SELECT 1 FROM ${liveViewName({ name: 'fresh' })}`;
    expect(await errorOf(guarded.rows(both))).to.include({ code: 'REBUILDING' });
    await setDamagedRanges('');
    await waitUntil(
      () => errorOf(guarded.rows(rowsOf('fresh'))),
      (error) => error === undefined,
    );
  });

  for (const [how, options] of [
    ['with the state', {}],
    ['alone', { runs: cacheRead(readRun) }],
  ] as const) {
    it(`rejects the rows of a query during which ClickHouse restarted, when the run is read ${how}`, async () => {
      const guarded = guardedReader(
        {
          ...reader,
          async rows<Row>(query: Sql) {
            if (!query.relations.has('old')) return reader.rows<Row>(query);
            // The state was read before. A restart takes longer than a state counts as certain.
            await restart();
            await sleep(250);
            return reader.rows<Row>(query);
          },
        },
        options,
      );
      expect(await errorOf(guarded.rows(rowsOf('old')))).to.include({ code: 'UNAVAILABLE', retryAfterSeconds: 2 });
      await verify();
    });
  }

  it('sends a query again if ClickHouse was verified in another run meanwhile, once', async () => {
    let [sent, restarts] = [0, 1];
    const guarded = guardedReader(
      {
        ...reader,
        async rows<Row>(query: Sql) {
          if (!query.relations.has('old')) return reader.rows<Row>(query);
          sent += 1;
          const rows = await reader.rows<Row>(query);
          if (sent > restarts) return rows;
          await restart();
          await verify();
          await sleep(250);
          return rows;
        },
      },
      { runs: cacheRead(readRun) },
    );
    expect(await guarded.rows(rowsOf('old'))).to.have.length(1);
    expect(sent).to.equal(2);
    [sent, restarts] = [0, 2];
    expect(await errorOf(guarded.rows(rowsOf('old')))).to.include({ code: 'UNAVAILABLE', retryAfterSeconds: 2 });
    expect(sent).to.equal(2);
  });

  it('rejects every query while the list of tables cannot be read', async () => {
    const fault = { isActive: true };
    const guarded = guardedReader({
      ...reader,
      rows<Row>(query: Sql) {
        if (fault.isActive && query.texts.join().includes('incomplete_live')) throw new ApiError('UNAVAILABLE');
        return reader.rows<Row>(query);
      },
    });
    expect(await errorOf(guarded.rows(rowsOf('old')))).to.include({ code: 'UNAVAILABLE' });
    fault.isActive = false;
    expect(await guarded.rows(rowsOf('old'))).to.have.length(1);
    expect(reported).to.deep.equal([]);
  });
});
