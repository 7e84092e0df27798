import { setTimeout as sleep } from 'node:timers/promises';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { coffee, progress } from '@popsvc/read-models/tables';
import { createLiveView, createTable, openClickHouseReader, type ClickHouseReader } from '@popsvc/platform/clickhouse';
import { createLog } from '@popsvc/platform/telemetry';
import { type Extent, totalQuery } from '@popsvc/query-api/queries';
import { progressOf } from '@popsvc/query-api/reports';
import { totals } from '@popsvc/query-api/totals';
import { expect } from 'chai';
import fc from 'fast-check';
import { sharedClickHouse } from '../support/engines.ts';
import { follow, pageAt, rowsOf } from './pages.fixture.ts';
import { coffeeRow } from './rows.fixture.ts';
import { type Key, step } from './written-steps.fixture.ts';
import { openWorld, type World } from './world.fixture.ts';

const hour = 3_600_000;
const begin = Date.UTC(2026, 7, 20);
const edge = (hours: number) => ({ ms: begin + hours * hour, beyondNs: 0 });
const signal = new AbortController().signal;
const log = createLog('test', 'silent');

describe('totals', () => {
  let world: World;
  let reader: ClickHouseReader;
  let position = 1_000;
  let network = 0;
  const written = (pos: number, generation = 1) =>
    world.insert(progress, [
      { projection: 'coffee', generation, pos, as_of: begin, rows: 1, epoch: 1, written_at: begin },
    ]);
  const rowOf = ({ hour: at, number, site }: Key, version: number, deleted = 0) =>
    coffeeRow({ network_id: network, ts: begin + at * hour + 1, number, site_id: site, version, is_deleted: deleted });
  const plainly = async (extent: Extent) => (await reader.rows<{ total: number }>(totalQuery(extent)))[0]?.total;
  const extentOf = (from: number, hours: number, siteIds: readonly number[] = []): Extent => ({
    dataset: coffeeDataset,
    network,
    window: { from: edge(from), to: edge(from + hours) },
    siteIds,
  });

  before(async () => {
    world = await openWorld();
    const engine = await sharedClickHouse();
    reader = openClickHouseReader({ url: `${engine.url}/${world.database}`, ...engine.reader });
  });
  after(async () => {
    await reader.close();
    await world.close();
  });

  it('are what a plain count gives, whatever is written, half written, taken back or merged', async function () {
    this.timeout(600_000);
    const isLong = process.env['POPSVC_LONG'] === '1';
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 18 }), async (steps) => {
        network += 1;
        // Two processes, each with a memory of its own.
        const processes = [0, 1].map(() => ({ progress: progressOf(reader, log), totals: totals(reader) }));
        const stored: Key[] = [];
        for (const each of steps) {
          if (each.kind === 'merge') await world.writer.run('OPTIMIZE TABLE coffee_g1 FINAL');
          else if (each.kind === 'ask') {
            const { progress: progressed, totals: counting } = processes[each.by]!;
            const extent = extentOf(each.from, each.hours, each.siteIds);
            const told = await counting.total(extent, await progressed('coffee'), { signal });
            expect(told).equal(await plainly(extent));
          } else {
            position += 7;
            const gone = each.drop.flatMap((index) => stored.splice(index, 1));
            const block = [
              ...gone.map((row) => rowOf(row, 2 * position, 1)),
              ...each.add.map((row) => rowOf(row, 2 * position + 1)),
            ];
            if (block.length > 0) await world.insert(coffee, block);
            stored.push(...each.add);
            if (each.isFinished) await written(position);
          }
        }
        for (const { progress: progressed, totals: counting } of processes) {
          const extent = extentOf(0, 72);
          expect(await counting.total(extent, await progressed('coffee'), { signal })).equal(await plainly(extent));
        }
      }),
      { numRuns: isLong ? 300 : 6, seed: 2026 },
    );
  });

  it('are counted again when the read model was put back to an older copy', async () => {
    network = 900;
    const counting = totals(reader);
    const told = async () => counting.total(extentOf(0, 72), await progressOf(reader, log)('coffee'), { signal });
    const add = async (number: number) => {
      position += 7;
      await world.insert(coffee, [rowOf({ hour: 1, number, site: 11 }, 2 * position + 1)]);
      await written(position);
    };
    await add(1);
    const older = position;
    await add(2);
    expect(await told()).equal(2);
    const past = 'SETTINGS mutations_sync = 2';
    await world.writer.run(`ALTER TABLE coffee_g1 DELETE WHERE version > ${2 * older + 1} ${past}`);
    await world.writer.run(`ALTER TABLE progress_g1 DELETE WHERE pos > ${older} ${past}`);
    expect(await told()).equal(1);
  }).timeout(10_000);

  it('are counted again in other tables of the same number', async () => {
    const counting = totals(reader);
    const made = { generation: 9, position: BigInt(position), asOfMs: begin };
    const told = (tablesId: string) => counting.total(extentOf(0, 72), { ...made, tablesId }, { signal });
    await world.writer.run(createTable(coffee, 9));
    const row = `${network}, fromUnixTimestamp64Milli(toInt64(${begin})), number, 3`;
    await world.writer.run(`INSERT INTO coffee_g9 (network_id, ts, number, version) SELECT ${row} FROM numbers(2)`);
    expect(await told('one')).equal(2);
    // As after a restore: what is made anew has rows of the same versions, and not those that were counted.
    await world.writer.run('TRUNCATE TABLE coffee_g9');
    expect([await told('one'), await told('other')]).deep.equal([2, 0]);
  });

  describe('of a network that is read', () => {
    let token: string;
    const path = '/api/v1/coffee';
    const whole = { from: '2026-08-20T00:00:00Z', to: '2026-08-23T00:00:00Z' };
    const keys = Array.from({ length: 900 }, (_, index): Key => ({ hour: (index * 7) % 72, number: index, site: 11 }));
    const totalOf = async () => (await pageAt(world, path, { ...whole, limit: 1 }, token)).total;

    before(async () => {
      network = 1_000;
      await world.register([{ id: network, name: 'Read', sites: [11] }]);
      ({ token } = await world.client(network));
      position += 1;
      // Most of a day within three hours: rows do not lie evenly.
      const crowd = Array.from({ length: 600 }, (_, index) =>
        rowOf({ hour: 30 + (index % 3), number: 5_000 + index, site: 11 }, 2 * position + 1),
      );
      await world.insert(coffee, [...keys.map((row) => rowOf(row, 2 * position + 1)), ...crowd]);
      await written(position);
    });

    it('do not change which rows pages have, near or far', async () => {
      const count = keys.length + 600;
      const { rows } = await pageAt(world, path, { ...whole, limit: 5_000 }, token);
      const due = rows.map(({ DETAILID }) => DETAILID);
      expect(due).length(count);
      // What was counted for the page above tells the next ones where to look.
      for (const [sort, limit] of [
        ['asc', 170],
        ['desc', 400],
      ] as const) {
        const inOrder = sort === 'asc' ? due : [...due].reverse();
        const pages = await follow(world, path, { ...whole, limit, sort }, token);
        expect(new Set(pages.map(({ total }) => total))).deep.equal(new Set([count]));
        expect(rowsOf(pages).map(({ DETAILID }) => DETAILID)).deep.equal(inOrder);
        for (const offset of [5, count - 3]) {
          const page = await pageAt(world, path, { ...whole, limit, sort, offset }, token);
          expect(page.rows.map(({ DETAILID }) => DETAILID)).deep.equal(inOrder.slice(offset, offset + limit));
        }
      }
    });

    it('follow rows that went since they were counted, and pages do', async () => {
      const before = await totalOf();
      position += 1;
      // All of the first day but one row goes, so that nothing is where the count says.
      const gone = keys.filter(({ hour: at }) => at < 24).slice(1);
      await world.insert(
        coffee,
        gone.map((row) => rowOf(row, 2 * position, 1)),
      );
      const pages = await follow(world, path, { ...whole, limit: 150 }, token);
      expect(rowsOf(pages)).length(before - gone.length);
      expect(new Set(pages.map(({ total }) => total))).deep.equal(new Set([before - gone.length]));
    });

    it('are those of the generation that is live', async () => {
      await written(position);
      const before = await totalOf();
      await world.writer.run(createTable(coffee, 2));
      await world.writer.run(
        `INSERT INTO coffee_g2 SELECT * FROM coffee_g1 FINAL WHERE network_id = ${network} AND number % 2 = 0`,
      );
      await world.writer.run(createLiveView(coffee, 2));
      await written(position, 2);
      await sleep(300);
      const after = await totalOf();
      expect(after).below(before).and.above(0);
      expect(after).equal(await plainly(extentOf(0, 72)));
      await world.writer.run('DROP TABLE coffee_g1');
      expect(await totalOf()).equal(after);
      // A generation that is gone though its progress still says it is live.
      await world.writer.run('DROP TABLE coffee_g2');
      await world.writer.run(createTable(coffee, 3));
      await world.writer.run(createLiveView(coffee, 3));
      expect(await totalOf()).equal(0);
    });
  });
});
