import { expect } from 'chai';
import { isOfLog, runStateAfter } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { progressTable } from '@popsvc/read-models/tables';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { smallRegistry } from '../support/small-registry.ts';
import {
  begin,
  copyLog,
  copyClickHouse,
  copyPostgres,
  dropReadModels,
  projectAll,
  rebuildRows,
  shownProjections,
  readDamagedTables,
  readLiveRows,
  tableNames,
} from './restore.fixture.ts';

/** One store is restored from a copy that is older than the other stores (docs/guides/operators/repair.md). */
describe('a restored store', function () {
  let system: TestSystem;
  let sent = 0;
  /** The rows of a rebuild of so many events; reused while no event is added. */
  let made: { readonly of: number; readonly rows: unknown } | undefined;

  /** A quarter of an hour of plays and detections, some repeated with the same or other content. */
  const appendTraffic = async () => {
    for (let count = 0; count < 6; count += 1) {
      sent += 1;
      const at = (seconds: number) =>
        new Date(Date.parse('2026-08-20T14:00:00Z') + (sent * 60 + seconds) * 1_000).toISOString();
      const eventId = `play-${sent - (count % 4 === 3 ? 1 : 0)}`;
      await system.play({ eventId, playedAt: at(0), durationMs: 10_000 });
      await system.heartbeat({ deviceId: 4, at: at(0) });
      if (count % 2 === 0)
        await system.detection({ startedAt: at(1), endedAt: at(9), watches: [{ startedAt: at(2), endedAt: at(5) }] });
      if (count === 0) await system.interval({ startedAt: at(0), endedAt: at(50) });
    }
  };
  const traffic = async () => {
    await appendTraffic();
    await projectAll(system);
  };
  const isWhole = async () => {
    if (made?.of !== sent) made = { of: sent, rows: await rebuildRows(system) };
    const live = await readLiveRows(system);
    expect(JSON.stringify(live).length).to.be.greaterThan(3_000);
    expect(live).to.deep.equal(made.rows);
  };

  before(async () => {
    system = await startTestSystem({ of: shownProjections });
    await begin(system);
    await system.register(smallRegistry);
    await traffic();
  });
  after(() => system.close());

  it('PostgreSQL: the events since the copy are projected again, into the same rows', async () => {
    const copy = await copyPostgres(system);
    await traffic();
    await copy.restore();
    await begin(system);
    await traffic();
    await isWhole();
  });

  it('ClickHouse: the projections continue from the position of the copy', async () => {
    const copy = await copyClickHouse(system);
    await traffic();
    await copy.restore();
    await begin(system);
    await traffic();
    await isWhole();
  });

  it('ClickHouse without its tables: no table is readable until a replay has built it', async () => {
    const readModels = await copyClickHouse(system);
    await traffic();
    const records = await copyPostgres(system);
    await dropReadModels(system);
    await begin(system);
    expect(await readDamagedTables(system)).to.deep.equal(tableNames);
    const refused: unknown = await system.projectOne('coffee').catch((error: unknown) => error);
    expect(String(refused)).to.match(/coffee generation 1 is damaged \(.*: the table is missing/);

    await Promise.all([readModels.restore(), records.restore()]);
    await begin(system);
    expect(await readDamagedTables(system)).to.deep.equal([]);
    await traffic();
    await isWhole();
  });

  it('ClickHouse without progress: the projections continue from their checkpoints', async () => {
    for (const name of shownProjections) await system.writer.run(`TRUNCATE TABLE ${progressTable(name)}`);
    await begin(system);
    expect(await readDamagedTables(system)).to.deep.equal([]);
    await traffic();
    await isWhole();
  });

  it('both, from copies of different times', async () => {
    const readModels = await copyClickHouse(system);
    await traffic();
    const records = await copyPostgres(system);
    await traffic();
    await Promise.all([readModels.restore(), records.restore()]);
    await begin(system);
    await projectAll(system);
    await isWhole();
  });

  it('the log: projections refuse it, and continue with older copies of the other stores', async () => {
    const readModels = await copyClickHouse(system);
    await traffic();
    const records = await copyPostgres(system);
    const log = await copyLog(system);
    await traffic();
    await log.restore();
    const refused: unknown = await system.projectOne('coffee').catch((error: unknown) => error);
    expect(String(refused)).to.match(/it was restored from an older copy; rebuild it/);
    expect(runStateAfter({ error: refused }).state).to.equal('rebuild-needed');

    await Promise.all([readModels.restore(), records.restore()]);
    await begin(system);
    await traffic();
    await isWhole();
  });

  it('PostgreSQL, older than many batches, whose events are now in one', async () => {
    const move = (location: number) =>
      system.register({
        networks: smallRegistry.networks,
        sites: [{ id: 20, name: 'Tokyo', network: 1, timezone: 'Asia/Tokyo' }],
        locations: [{ id: 30, name: 'Platform', site: 20 }],
        devices: [{ ...smallRegistry.devices[0], location, effective_from: '2026-08-01T00:00:00Z' }],
      });
    const copy = await copyPostgres(system);
    await move(30);
    await traffic();
    await move(3);
    await traffic();
    await move(30);
    await traffic();
    await copy.restore();
    await begin(system);
    // Read in one go with what the newest batch ended on, these two would be none.
    await move(3);
    await traffic();
    await isWhole();
  });

  it('the log, older and with other events since: projections refuse it, and no replay begins by itself', async () => {
    const log = await copyLog(system);
    await traffic();
    await log.restore();
    await appendTraffic();
    await appendTraffic();
    const refused: unknown = await system.projectOne('coffee').catch((error: unknown) => error);
    expect(String(refused)).to.match(/coffee generation 1 is ahead of the log: it handled event .* rebuild it/);
    expect(runStateAfter({ error: refused }).state).to.equal('rebuild-needed');
    const which = { projection: allProjections.find(({ name }) => name === 'coffee')!, generation: 1 };
    expect(await isOfLog(system.parts, which)).to.equal(false);
    await system.postgres.query('UPDATE checkpoints SET event_position = 0, event_id = NULL');
    expect(await isOfLog(system.parts, which)).to.equal(true);
  });
});
