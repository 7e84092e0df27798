import { readGenerations, readPartList, recordHealing, registerProjection } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { coffeeDataset, watcherSummaryDataset } from '@popsvc/read-models/datasets';
import { markRunVerified, verifyGeneration } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import sinon from 'sinon';
import { smallRegistry } from '../support/small-registry.ts';
import { crashingStores, isCrash } from './runner/crashing-stores.fixture.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

/** Units with few rows, so that the lost rows take several of them. */
const unitLimits = { rows: 10, bytes: 1e6, ageMs: 10, maxWindowRows: 4, unitPairs: 3, batchPairs: 100 };

const datasets = { coffee: coffeeDataset, 'watcher-summary': watcherSummaryDataset };

describe('rows that were lost with a part of a derived table', function () {
  let system: TestSystem;
  const tables = { coffee: 'coffee_g1', 'watcher-summary': 'watcher_summary_g1' };
  type Name = keyof typeof tables;

  before(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee', 'watcher-summary'] });
    for (const { name, version } of allProjections) await registerProjection(system.postgres, name, version);
    for (const table of Object.values(tables)) await system.writer.run(`SYSTEM STOP MERGES ${table}`);
    await system.register(smallRegistry);
    // A part with rows of two days, which later parts replace on one of them.
    await system.play({ eventId: 'on-another-day', playedAt: '2026-08-20T14:00:00.000Z' });
    for (let index = 0; index < 6; index += 1)
      await system.play({ eventId: `play-${index}`, playedAt: `2026-08-22T14:00:${index}0.000Z` });
    await system.detection({
      detectionId: 'moved',
      startedAt: '2026-08-22T14:00:10.000Z',
      endedAt: '2026-08-22T14:00:15.000Z',
    });
    await system.project();
    // A play whose rows are in the newest part only.
    await system.play({ eventId: 'only-once', playedAt: '2026-08-22T14:00:55.000Z' });
    for (let index = 0; index < 3; index += 1)
      await system.detection({ startedAt: '2026-08-22T14:00:20.000Z', endedAt: '2026-08-22T14:00:45.000Z' });
    const moved = {
      detectionId: 'moved',
      revision: 1,
      startedAt: '2026-08-22T14:00:30.000Z',
      endedAt: '2026-08-22T14:00:38.000Z',
    };
    await system.detection(moved);
    await system.project();
  });
  after(() => system.close());

  const rowsOf = async (name: Name) =>
    (await system.rows(datasets[name])).map(({ SILVER_STAGE_TIMESTAMP: _, ...row }) => row);
  const newestPart = async (name: Name) => {
    const [part] = await system.writer.rows<{ name: string }>(
      `SELECT name FROM system.parts WHERE active AND database = currentDatabase() AND table = '${tables[name]}'
       ORDER BY max_block_number DESC LIMIT 1`,
    );
    return part!.name;
  };
  /** Detaches the newest part of a table, which contains rows of one day. */
  const loseNewestPart = async (name: Name) => {
    const part = await newestPart(name);
    await system.writer.run(`ALTER TABLE ${tables[name]} DETACH PART '${part}'`);
    return part;
  };
  const verify = async (name: Name) => {
    const { writer, postgres } = system;
    const projection = allProjections.find((each) => each.name === name)!;
    const which = { projection, generation: 1, healing: (await recordOf(name)).healing };
    return verifyGeneration({ writer, postgres, log: createLog('test', 'silent') }, which);
  };
  const readRanges = () =>
    system.writer
      .rows(`SELECT DISTINCT name, toFloat64(network_id) AS network, toString(from_at) AS from, toString(to_at) AS to
      FROM damaged_ranges_live WHERE name IN ('coffee', 'watcher_summary')`);
  const recordOf = async (name: Name) =>
    (await readGenerations(system.postgres)).find(({ projection }) => projection === name)!;

  /** Runs a projection until a run does not crash. Each run crashes `interval` statements later than the run before. */
  const projectWithCrashes = async (name: Name, interval: number) => {
    let crashes = 0;
    let crashesInUnits = 0;
    for (let hasCrashed = true; hasCrashed;) {
      const stores = crashingStores(system, 7 + interval * crashes, crashes % 2 === 0 ? 'after' : 'before');
      hasCrashed = await isCrash(system.projectOne(name, { ...stores, limits: unitLimits }));
      crashes += 1;
      crashesInUnits += Number(hasCrashed && (await readRanges()).length > 0);
    }
    expect(crashesInUnits).to.be.greaterThan(0);
  };

  for (const [name, interval, range] of [
    ['coffee', 15, { from: '2026-08-22 14:00:10.000', to: '2026-08-22 14:00:56.000' }],
    ['watcher-summary', 1, { from: '2026-08-22 14:00:10.000', to: '2026-08-22 14:00:31.000' }],
  ] as const)
    it(`are derived again from facts, in small units that crash, and replace older versions of ${name} that reappear`, async () => {
      const before = await rowsOf(name);
      const part = await loseNewestPart(name);
      expect(await rowsOf(name), 'older rows have reappeared').to.not.deep.equal(before);
      expect(await verify(name)).to.deep.equal([]);
      expect(await readRanges()).to.deep.equal([{ name: tables[name].replace('_g1', ''), network: 1, ...range }]);
      expect((await recordOf(name)).healing.map((lost) => lost.part)).to.deep.equal([part]);

      // As if ClickHouse had lost the derived rows at a restart, before the new parts were listed.
      const pending = tables[name].replace('_g1', '_pending_g1');
      await system.writer.run(`INSERT INTO ${pending} SELECT * REPLACE(1 AS is_deleted) FROM ${pending} FINAL`);
      await system.postgres.query('DELETE FROM table_parts WHERE table_name = $1 AND part = $2', [tables[name], part]);
      expect(await verify(name)).to.deep.equal([]);
      expect(await readRanges()).to.deep.equal([]);
      await system.writer.run('TRUNCATE TABLE verified_runs');
      expect(await verify(name)).to.deep.equal([]);
      await markRunVerified(system.writer);
      await projectWithCrashes(name, interval);
      expect(await rowsOf(name)).to.deep.equal(before);
      expect(await readRanges()).to.deep.equal([]);
      expect((await recordOf(name)).healing).to.deep.equal([]);
      const list = await readPartList(system.postgres, { projection: name, generation: 1 });
      expect(list.parts.map((listed) => listed.part)).to.not.include(part);
      expect(await verify(name)).to.deep.equal([]);
      expect((await recordOf(name)).healing).to.deep.equal([]);
    });

  it('are derived once, although another partition of the projection is further', async () => {
    const before = await rowsOf('coffee');
    await loseNewestPart('coffee');
    await verify('coffee');
    await system.writer.run(
      `INSERT INTO coffee_pending_g1 SELECT * REPLACE(2 * r.version AS version) FROM coffee_pending_g1 AS r FINAL
       WHERE r.cause = 'damaged'`,
    );
    await system.projectOne('coffee', { limits: unitLimits });
    expect(await rowsOf('coffee')).to.deep.equal(before);
    expect(await readRanges()).to.deep.equal([]);
  });

  it('are derived again although the process was killed before it dropped the damaged part', async () => {
    const before = await rowsOf('coffee');
    const part = await newestPart('coffee');
    const key = { projection: 'coffee', generation: 1 };
    const listed = (await readPartList(system.postgres, key)).parts.find((each) => each.part === part)!;
    const problem = 'a checksum does not match';
    const day = { fromMs: Date.UTC(2026, 7, 22), toMs: Date.UTC(2026, 7, 23) };
    await recordHealing(system.postgres, key, [
      { ...listed, ...day, table: 'coffee', problem, found_at: new Date().toISOString() },
    ]);
    expect(await verify('coffee')).to.deep.equal([]);
    expect(await newestPart('coffee')).to.not.equal(part);
    await system.projectOne('coffee', { limits: unitLimits });
    expect(await rowsOf('coffee')).to.deep.equal(before);
    expect((await recordOf('coffee')).healing).to.deep.equal([]);
  });

  it('are left to a replay if they cannot be derived', async () => {
    await loseNewestPart('coffee');
    await verify('coffee');
    const { writer } = system;
    const failing = {
      ...writer,
      run: (query: string, options?: Parameters<typeof writer.run>[1]) =>
        writer.run(query.includes('INSERT INTO coffee_g1') ? "SELECT throwIf(1, 'a fault')" : query, options),
    };
    // The pauses between the attempts pass a thousand times as fast.
    const now = performance.now.bind(performance);
    const clock = sinon.stub(performance, 'now').callsFake(() => now() * 1_000);
    const outcome = await system.projectOne('coffee', { writer: failing, leaseMs: 100_000_000 }).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    clock.restore();
    expect(outcome?.message).to.match(/lost rows of network 1 cannot be derived again: .*a fault/);
    expect((await recordOf('coffee')).damage.map(({ table, part }) => [table, part])).to.deep.equal([['coffee', null]]);
    expect(await readRanges(), 'readers refuse the range until the replay ends').to.have.length(1);
  });
});
