import { setTimeout as sleep } from 'node:timers/promises';
import { runDiagnostics } from '@popsvc/ops-api/server';
import { timeZoneVersion } from '@popsvc/contracts/time-zones';
import { ensureTimeZones } from '@popsvc/read-models/schema';
import { expect } from 'chai';
import { type DiagnosedSystem, startDiagnosedSystem, withOnlyShard } from './diagnostics.fixture.ts';

describe('the diagnostics of the data in ClickHouse', function () {
  let system: DiagnosedSystem;
  before(async () => {
    system = await startDiagnosedSystem();
  });
  after(() => system.close());

  const run = (sql: string) => system.writer.run(sql);

  it('expect no tables of a generation that is being dropped, or that a newer release created', async () => {
    const { postgres } = system;
    const insert = (generation: number, state: string, version: number) =>
      postgres.query(`INSERT INTO generations (projection, generation, state, version) VALUES ('jobs', $1, $2, $3)`, [
        generation,
        state,
        version,
      ]);
    const schema = async () => (await system.diagnose())['schema']!;
    await insert(4, 'dropping', 1);
    await insert(5, 'kept', 99);
    expect(await schema()).to.include({ outcome: 'ok' });
    await insert(6, 'kept', 1);
    expect((await schema()).found).to.include('bulk_jobs_g6 is missing');
    await postgres.query(`DELETE FROM generations WHERE projection = 'jobs' AND generation > 1`);
  });

  it('report no table of a replay that starts or ends during the check', async () => {
    const { postgres, writer } = system;
    const withHooks = (before: () => Promise<unknown>, after: () => Promise<unknown>) => ({
      ...writer,
      async rows<Row>(...args: Parameters<typeof writer.rows>) {
        const isAboutTables = args[0].includes('_at_');
        if (isAboutTables) await before();
        const rows = await writer.rows<Row>(...args);
        if (isAboutTables) await after();
        return rows;
      },
    });
    const nothing = () => Promise.resolve();
    const record = () =>
      postgres.query(
        `INSERT INTO generations (projection, generation, state, version) VALUES ('jobs', 2, 'building', 1)
         ON CONFLICT DO NOTHING`,
      );
    const create = () => run('CREATE TABLE IF NOT EXISTS bulk_jobs_g2 AS bulk_jobs_g1');
    const drop = () => run('DROP TABLE IF EXISTS bulk_jobs_g2');
    const forget = () => postgres.query(`DELETE FROM generations WHERE projection = 'jobs' AND generation = 2`);
    // PostgreSQL may answer sooner than ClickHouse.
    const starts = withHooks(() => sleep(100).then(record).then(create), nothing);
    const ends = withHooks(nothing, () => drop().then(forget));
    for (const hooked of [starts, ends])
      expect((await system.diagnose(withOnlyShard(hooked, system.reader)))['generations']).to.include({
        outcome: 'ok',
      });
  });

  it('report disks that are nearly full, and skip those without a size', async () => {
    const { writer } = system;
    const disks = [
      { name: 'roomy', free: 50e9, size: 100e9 },
      { name: 'little', free: 10e9, size: 100e9 },
      { name: 'full', free: 1e9, size: 100e9 },
      { name: 'far', free: 0, size: 0 },
    ];
    const full = {
      ...writer,
      rows: <Row>(...args: Parameters<typeof writer.rows>) =>
        args[0].includes('system.disks') ? Promise.resolve(disks as Row[]) : writer.rows<Row>(...args),
    };
    const found = await system.diagnose(withOnlyShard(full, system.reader));
    const outcomes = disks
      .map(({ name }) => found[`disk ${name} of clickhouse`]!)
      .map(({ outcome, found: text }) => [outcome, text]);
    expect(outcomes).to.deep.equal([
      ['ok', '50.0 GB of 100.0 GB free (50 %)'],
      ['warning', '10.0 GB of 100.0 GB free (10 %)'],
      ['failed', '1.0 GB of 100.0 GB free (1 %)'],
      ['ok', 'free space is not reported'],
    ]);
    expect(found[`disk of ${process.cwd()}`]).to.have.property('outcome');
  });

  it('report time zone data that differs between ClickHouse and this process', async () => {
    const zones = async () => (await system.diagnose())['time-zones']!;
    expect(await zones()).to.include({ outcome: 'ok', found: `time zone data ${timeZoneVersion}` });
    await run("ALTER TABLE dict_time_zones MODIFY COMMENT '2020a'");
    expect(await zones()).to.include({
      outcome: 'warning',
      found: `time zone data: ClickHouse 2020a, this process ${timeZoneVersion}`,
    });
    await ensureTimeZones(system.writer);
    expect(await zones()).to.include({ outcome: 'ok' });
  });

  it('report a generation of coffee that was created with other rules for the zones of the registry', async () => {
    const createdWith = async (version: string) => {
      await system.postgres.query("UPDATE generations SET time_zones = $1 WHERE projection = 'coffee'", [version]);
      return (await system.diagnose())['time-zones']!;
    };
    await run(
      `INSERT INTO registry_networks_g1 (network_id, name, timezone, version) VALUES (1, 'A', 'Europe/London', 1)`,
    );
    await run(
      `INSERT INTO registry_sites_g1 (site_id, network_id, name, timezone, version)
       VALUES (2, 1, 'B', 'Europe/London', 1), (3, 1, 'C', 'America/Vancouver', 1)`,
    );
    expect(await createdWith('')).to.include({
      outcome: 'warning',
      found: `generation 1 of coffee was created with the time zone rules of ClickHouse; the current data is ${timeZoneVersion}`,
    });
    const versions = `generation 1 of coffee was created with time zone data 2020a, and the current data is ${timeZoneVersion}`;
    expect(await createdWith('2020a')).to.include({
      outcome: 'warning',
      found: `${versions}: America/Vancouver (its former rules are not stored), Europe/London (its former rules are not stored)`,
    });
    // Vancouver as before its change of 2026, and London as it is.
    await run(
      `INSERT INTO time_zones_g1 SELECT '2020a', zone, from_ms, to_ms, offset_seconds FROM time_zones_g1
       WHERE version = '${timeZoneVersion}' AND (zone = 'Europe/London' OR zone = 'America/Vancouver' AND from_ms <= 1772964000000)`,
    );
    await run(
      `ALTER TABLE time_zones_g1 UPDATE to_ms = 1793523599999 WHERE version = '2020a' AND zone = 'America/Vancouver' AND from_ms = 1772964000000`,
    );
    await run(`INSERT INTO time_zones_g1 VALUES ('2020a', 'America/Vancouver', 1793523600000, 10413792000000, -28800)`);
    expect(await createdWith('2020a')).to.include({
      outcome: 'warning',
      found: `${versions}: America/Vancouver from 2026-11-01 (UTC-08:00, now UTC-07:00)`,
    });

    // 08:30 in Vancouver by the former rules, which is 09:30 now; the second row is a play of before the change, the third one of today.
    await run(
      `INSERT INTO plays_g1 (network_id, vendor, event_id, pos, played_at, local_zone, zone_version) VALUES
         (1, 'acme', 'changed', 1, '2026-11-20 16:30:00', 'America/Vancouver', '2020a'),
         (1, 'acme', 'changed', 2, '2026-11-20 16:30:00', 'America/Vancouver', '2020a'),
         (1, 'acme', 'before', 3, '2026-10-20 16:30:00', 'America/Vancouver', '2020a'),
         (1, 'acme', 'current', 4, '2026-11-20 16:30:00', 'America/Vancouver', '${timeZoneVersion}'),
         (1, 'acme', 'utc', 5, '2026-11-20 16:30:00', '', '')`,
    );
    const zonesFound = async () =>
      (await runDiagnostics(system)).filter(({ check }) => check === 'time-zones').map(({ found }) => found);
    const outdated = `${versions}: America/Vancouver from 2026-11-01 (UTC-08:00, now UTC-07:00)`;
    const converted = `plays with local times that ${timeZoneVersion} converts to other instants`;
    expect(await zonesFound()).to.deep.equal([outdated, `${converted}: America/Vancouver: 1`]);

    // Releases before the columns existed recorded no zone, as for times in UTC.
    await run(
      `INSERT INTO plays_g1 (network_id, vendor, event_id, pos, schema_version, played_at) VALUES
         (1, 'acme', 'former', 6, 'v1', '2026-11-20 16:30:00')`,
    );
    const unknown =
      '; not compared: 1 mapped plays that record no zone, because they were sent in UTC or with an offset, or a release before 0.1.0-alpha.3 converted them';
    expect(await zonesFound()).to.deep.equal([outdated, `${converted}: America/Vancouver: 1${unknown}`]);
    await run(`ALTER TABLE plays_g1 DELETE WHERE event_id = 'changed'`);
    expect(await zonesFound()).to.deep.equal([outdated, `${converted}: none${unknown}`]);
    await run(`TRUNCATE TABLE plays_g1`);
    await run(`ALTER TABLE registry_sites_g1 DELETE WHERE site_id = 3`);
    expect(await createdWith('2020a')).to.include({
      outcome: 'ok',
      found: `${versions}: no zone of the registry differs`,
    });
  });
});
