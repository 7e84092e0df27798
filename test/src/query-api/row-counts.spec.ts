import { lastSequenceAt } from '@popsvc/contracts/events';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { coffee } from '@popsvc/read-models/tables';
import { createLiveView, createTable, openClickHouseReader, type ClickHouseReader } from '@popsvc/platform/clickhouse';
import { createLog } from '@popsvc/platform/telemetry';
import { createProgressReader } from '@popsvc/query-api/generations';
import { createRowCounter, queryTotal, type RowSelection } from '@popsvc/query-api/reports';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import fc from 'fast-check';
import { sharedClickHouse } from '../support/engines.ts';
import { readAllPages, readPage, rowsOf } from './pages.fixture.ts';
import { coffeeRow } from './rows.fixture.ts';
import { type Key, step } from './row-counts.fixture.ts';
import { progress, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const hour = 3_600_000;
const begin = Date.UTC(2026, 7, 20);
const edge = (hours: number) => ({ ms: begin + hours * hour, nanosPastMs: 0 });
const signal = new AbortController().signal;
const log = createLog('test', 'silent');
/** Version of a row, or of its tombstone, that a batch up to a log position writes. */
const versionAt = (position: number, isDeleted = 0) => 2 * Number(lastSequenceAt(BigInt(position))) + 1 - isDeleted;

describe('row counts', () => {
  let api: TestQueryApi;
  let reader: ClickHouseReader;
  let position = 1_000;
  let network = 0;
  const writeProgress = (pos: number, generation = 1) =>
    api.insert(progress, [{ projection: 'coffee', generation, pos, as_of: begin }]);
  const rowOf = ({ hour: at, number, site }: Key, version: number, deleted = 0) =>
    coffeeRow({ network_id: network, ts: begin + at * hour + 1, number, site_id: site, version, is_deleted: deleted });
  const countDirectly = async (selection: RowSelection) =>
    (await reader.rows<{ total: number }>(queryTotal(selection)))[0]?.total;
  const selectionOf = (from: number, hours: number, siteIds: readonly number[] = []): RowSelection => ({
    dataset: coffeeDataset,
    network,
    window: { from: edge(from), to: edge(from + hours) },
    siteIds,
  });

  before(async () => {
    api = await startTestQueryApi();
    const engine = await sharedClickHouse();
    reader = openClickHouseReader({ url: `${engine.url}/${api.database}`, ...engine.reader });
  });
  after(async () => {
    await reader.close();
    await api.close();
  });

  it('equal a count of the window after each batch, whatever was counted while it was half-written', async function () {
    this.timeout(600_000);
    const isLong = process.env['POPSVC_LONG'] === '1';
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 18 }), async (steps) => {
        network += 1;
        // Two processes, each with its own cache.
        const processes = [0, 1].map(() => ({
          readProgress: createProgressReader(reader, () => undefined, log).readProgress,
          counter: createRowCounter(reader),
        }));
        const stored: Key[] = [];
        let isFinished = true;
        const checkCount = async ({ readProgress, counter }: (typeof processes)[number], selection: RowSelection) => {
          const total = await counter.count(selection, await readProgress('coffee', { isUncached: true }), { signal });
          // Rows of a half-written batch may be counted or not.
          if (isFinished) expect(total).equal(await countDirectly(selection));
        };
        for (const each of steps) {
          if (each.kind === 'merge') await api.writer.run('OPTIMIZE TABLE coffee_g1 FINAL');
          else if (each.kind === 'count')
            await checkCount(processes[each.by]!, selectionOf(each.from, each.hours, each.siteIds));
          else {
            position += 7;
            const deleted = each.drop.flatMap((index) => stored.splice(index, 1));
            const block = [
              ...deleted.map((row) => rowOf(row, versionAt(position, 1), 1)),
              ...each.add.map((row) => rowOf(row, versionAt(position))),
            ];
            if (block.length > 0) await api.insert(coffee, block);
            stored.push(...each.add);
            ({ isFinished } = each);
            if (isFinished) await writeProgress(position);
          }
        }
        isFinished = true;
        await writeProgress(position);
        for (const each of processes) await checkCount(each, selectionOf(0, 72));
      }),
      { numRuns: isLong ? 300 : 6, seed: 2026 },
    );
  });

  it('are counted again after the read model was restored to an older copy', async () => {
    network = 900;
    const counter = createRowCounter(reader);
    const count = async () => {
      const { readProgress } = createProgressReader(reader, () => undefined, log);
      return counter.count(selectionOf(0, 72), await readProgress('coffee'), { signal });
    };
    const add = async (number: number) => {
      position += 7;
      await api.insert(coffee, [rowOf({ hour: 1, number, site: 11 }, versionAt(position))]);
      await writeProgress(position);
    };
    await add(1);
    const older = position;
    await add(2);
    expect(await count()).equal(2);
    const past = 'SETTINGS mutations_sync = 2';
    await api.writer.run(`ALTER TABLE coffee_g1 DELETE WHERE version > ${versionAt(older)} ${past}`);
    await api.writer.run(`ALTER TABLE progress_g1 DELETE WHERE pos > ${older} ${past}`);
    expect(await count()).equal(1);
  });

  it('are counted again in other tables of the same generation number', async () => {
    const counter = createRowCounter(reader);
    const at = BigInt(position);
    const progressFields = { generation: 9, position: at, changedPosition: at, asOfMs: begin, pending: [] };
    const count = (tablesId: string) => counter.count(selectionOf(0, 72), { ...progressFields, tablesId }, { signal });
    await api.writer.run(createTable(coffee, 9, {}));
    const row = `${network}, fromUnixTimestamp64Milli(toInt64(${begin})), number, 3`;
    await api.writer.run(`INSERT INTO coffee_g9 (network_id, ts, number, version) SELECT ${row} FROM numbers(2)`);
    expect(await count('one')).equal(2);
    // As after a restore: the recreated tables have other rows with the same versions.
    await api.writer.run('TRUNCATE TABLE coffee_g9');
    expect([await count('one'), await count('other')]).deep.equal([2, 0]);
  });

  describe('of a network with requests', () => {
    let token: string;
    const path = '/api/v1/coffee';
    const whole = { from: '2026-08-20T00:00:00Z', to: '2026-08-23T00:00:00Z' };
    const keys = Array.from({ length: 900 }, (_, index): Key => ({ hour: (index * 7) % 72, number: index, site: 11 }));
    const totalOf = async () => (await readPage(api, path, { ...whole, limit: 1 }, token)).total;

    before(async () => {
      network = 1_000;
      await api.register([{ id: network, name: 'Read', sites: [11] }]);
      ({ token } = await api.client(network));
      position += 1;
      // Most rows of a day are within three hours.
      const burst = Array.from({ length: 600 }, (_, index) =>
        rowOf({ hour: 30 + (index % 3), number: 5_000 + index, site: 11 }, versionAt(position)),
      );
      await api.insert(coffee, [...keys.map((row) => rowOf(row, versionAt(position))), ...burst]);
      await writeProgress(position);
    });

    it('do not change the rows of pages', async () => {
      const count = keys.length + 600;
      const { rows } = await readPage(api, path, { ...whole, limit: 5_000 }, token);
      const expected = rows.map(({ DETAILID }) => DETAILID);
      expect(expected).length(count);
      // The counts of the page above limit the range of the following pages.
      for (const [sort, limit] of [
        ['asc', 170],
        ['desc', 400],
      ] as const) {
        const inOrder = sort === 'asc' ? expected : [...expected].reverse();
        const pages = await readAllPages(api, path, { ...whole, limit, sort }, token);
        expect(new Set(pages.map(({ total }) => total))).deep.equal(new Set([count]));
        expect(rowsOf(pages).map(({ DETAILID }) => DETAILID)).deep.equal(inOrder);
        for (const offset of [5, count - 3]) {
          const page = await readPage(api, path, { ...whole, limit, sort, offset }, token);
          expect(page.rows.map(({ DETAILID }) => DETAILID)).deep.equal(inOrder.slice(offset, offset + limit));
        }
      }
    });

    it('follow deletions after the count, and so do pages', async () => {
      const before = await totalOf();
      position += 1;
      // All rows of the first day but one are deleted, so that the cached counts are wrong.
      const deleted = keys.filter(({ hour: at }) => at < 24).slice(1);
      await api.insert(
        coffee,
        deleted.map((row) => rowOf(row, versionAt(position, 1), 1)),
      );
      await writeProgress(position);
      await waitUntil(totalOf, (total) => total !== before);
      const pages = await readAllPages(api, path, { ...whole, limit: 150 }, token);
      expect(rowsOf(pages)).length(before - deleted.length);
      expect(new Set(pages.map(({ total }) => total))).deep.equal(new Set([before - deleted.length]));
    });

    it('belong to the live generation', async () => {
      await writeProgress(position);
      const before = await totalOf();
      await api.writer.run(createTable(coffee, 2, {}));
      await api.writer.run(
        `INSERT INTO coffee_g2 SELECT * FROM coffee_g1 FINAL WHERE network_id = ${network} AND number % 2 = 0`,
      );
      await api.writer.run(createLiveView(coffee, 2));
      await writeProgress(position, 2);
      const after = await waitUntil(totalOf, (total) => total < before);
      expect(after).above(0);
      expect(after).equal(await countDirectly(selectionOf(0, 72)));
      await api.writer.run('DROP TABLE coffee_g1');
      expect(await totalOf()).equal(after);
      // The tables of the generation are dropped, but its progress still exists.
      await api.writer.run('DROP TABLE coffee_g2');
      await api.writer.run(createTable(coffee, 3, {}));
      await api.writer.run(createLiveView(coffee, 3));
      expect(await totalOf()).equal(0);
    });
  });
});
