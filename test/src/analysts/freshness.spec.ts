import { analystViews } from '@popsvc/read-models/analysts';
import { allProjections } from '@popsvc/projectors/projections';
import { includesNetwork, includesNetworkSql, progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import fc from 'fast-check';
import { type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';
import { pryingQueries } from './hostile-queries.ts';

const foreign = 7_654_322;
const networks = [1, 2, 11, foreign];
/** When the progress of each projection was written: a time of its own. */
const progressTimes = new Map(allProjections.map(({ name }, index) => [name, `2026-11-01 12:0${index}:00.000`]));
const rangeTime = '2026-11-01 10:00:00.000';

describe('the view freshness of analysts', () => {
  let world: AnalystsSystem;
  before(async () => {
    world = await startAnalystsSystem([
      { name: 'anna', networks: [1, 11] },
      { name: 'bert', networks: [2] },
    ]);
    await world.system.register({
      networks: networks.map((id) => ({ id, name: `Network ${id}`, timezone: 'Europe/Berlin' })),
    });
    await world.system.projectOne('registry');
  });
  after(() => world.system.close());

  const writer = () => world.system.writer;
  const rowsOf = (who: number) =>
    world.rows<{ network_id: number; view_name: string; as_of: string | null }>(
      world.analysts[who]!,
      'SELECT network_id, view_name, as_of FROM freshness ORDER BY network_id, view_name',
    );
  const timeOf = async (who: number, network: number, view: string) =>
    (await rowsOf(who)).find(({ network_id: id, view_name: name }) => id === network && name === view)?.as_of;
  const writeProgress = (projection: string, pos: number, asOf: string) =>
    writer().run(
      `INSERT INTO ${progressTable(projection)} (generation, partitions, partition, pos, as_of) VALUES (1, 1, 0, ${pos}, '${asOf}')`,
    );
  const writeRange = (from: number, to: number, version: number, isDeleted = 0) =>
    writer().run(
      `INSERT INTO coffee_pending_g1 (network_id, last_network, from_at, to_at, cause, as_of, version, is_deleted)
       VALUES (${from}, ${to}, '2026-10-01 00:00:00', '2026-10-02 00:00:00', 'facts', '${rangeTime}', ${version}, ${isDeleted})`,
    );

  it('has null for views whose projection has written nothing', async () => {
    expect(await rowsOf(1)).to.deep.equal(
      ['audience', 'devices', 'heartbeats', 'outages', 'plays', 'vendor_balance', 'watchers'].map((view) => ({
        network_id: 2,
        view_name: view,
        as_of: null,
      })),
    );
  });

  it('has the time of the projection that writes the rows of a view, for each network of the login', async () => {
    for (const [projection, asOf] of progressTimes) await writeProgress(projection, 10 ** 15, asOf);
    const relationsOf = ({ from }: (typeof analystViews)[number]) => {
      const names = new Set<string>();
      from(
        ({ name }) => {
          names.add(name);
          return name;
        },
        { index: 0, of: 1 },
      );
      return names;
    };
    const expected = analystViews.flatMap((view) => {
      const read = relationsOf(view);
      const writers = allProjections.filter(
        ({ name, tables, views = [] }) =>
          name !== 'registry' && [...tables, ...views].some((each) => read.has(each.name)),
      );
      return view.name === 'viewing_thresholds' ? [] : writers.map(({ name }) => [view.name, progressTimes.get(name)]);
    });
    const rows = await rowsOf(0);
    for (const network of [1, 11])
      expect(
        rows.filter(({ network_id: id }) => id === network).map(({ view_name: view, as_of: at }) => [view, at]),
      ).to.deep.equal(expected.toSorted());
    expect(new Set(rows.map(({ network_id: id }) => id))).to.deep.equal(new Set([1, 11]));
    expect(new Set((await rowsOf(1)).map(({ network_id: id }) => id))).to.deep.equal(new Set([2]));
    expect((await rowsOf(2)).length).to.equal(expected.length * networks.length);
  });

  it('has the time of the oldest pending range of the network, if it is earlier', async () => {
    await writeRange(2, 2, 1);
    expect(await timeOf(1, 2, 'plays')).to.equal(rangeTime);
    expect(await timeOf(1, 2, 'watchers')).to.equal(progressTimes.get('watcher-summary'));
    expect(await timeOf(0, 1, 'plays')).to.equal(progressTimes.get('coffee'));
    // A replay derives several networks at once.
    await writeRange(1, 10, 1);
    expect([await timeOf(0, 1, 'audience'), await timeOf(0, 11, 'audience')]).to.deep.equal([
      rangeTime,
      progressTimes.get('coffee'),
    ]);
    await writeRange(2, 2, 2, 1);
    await writeRange(1, 10, 2, 1);
    expect(await timeOf(0, 1, 'audience')).to.equal(progressTimes.get('coffee'));
  });

  it('shows nothing of the pending ranges of other networks', async () => {
    await writeRange(foreign, foreign, 1);
    const [anna] = world.analysts;
    for (const sql of [
      ...pryingQueries('freshness', [1, 11]),
      `SELECT count() FROM freshness WHERE throwIf(as_of = '${rangeTime}') = 0`,
      `SELECT throwIf(assumeNotNull(as_of) < '${progressTimes.get('coffee')}') FROM freshness WHERE view_name = 'plays'`,
    ]) {
      const { ok, text } = await world.query(anna!, sql);
      expect(ok, `${sql}: ${text}`).to.equal(true);
    }
    for (const kind of [
      'PLAN indexes = 1, actions = 1, header = 1',
      'AST',
      'SYNTAX',
      'QUERY TREE',
      'PIPELINE header = 1',
    ])
      expect((await world.query(anna!, `EXPLAIN ${kind} SELECT * FROM freshness`)).text).to.not.include(
        String(foreign),
      );
  });

  it('finds the networks of a range as the reports do', async () => {
    const network = fc.integer({ min: 1, max: 40 });
    const drawn = fc.sample(
      fc.record({
        network,
        length: fc.integer({ min: 0, max: 30 }),
        wanted: network,
        partitions: fc.integer({ min: 1, max: 5 }),
        shards: fc.integer({ min: 1, max: 2 }),
      }),
      500,
    );
    const condition = includesNetworkSql(
      { network: 'x.1', lastNetwork: 'x.2', partitions: 'x.4', shards: 'x.5' },
      'x.3',
    );
    const tuples = drawn.map(
      (each) => `(${each.network}, ${each.network + each.length}, ${each.wanted}, ${each.partitions}, ${each.shards})`,
    );
    const [found] = await writer().rows<{ included: readonly number[] }>(
      `SELECT arrayMap(x -> toUInt8(${condition}), [${tuples.join(', ')}]) AS included`,
    );
    expect(found!.included).to.deep.equal(
      drawn.map(({ length, wanted, ...range }) =>
        Number(includesNetwork({ ...range, lastNetwork: range.network + length }, wanted)),
      ),
    );
    expect(new Set(found!.included).size).to.equal(2);
  });
});
