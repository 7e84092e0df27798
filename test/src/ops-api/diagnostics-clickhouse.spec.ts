import { setTimeout as sleep } from 'node:timers/promises';
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

  it('report a time zone whose rules differ between ClickHouse and Node.js', async () => {
    const { reader } = system;
    await run(
      `INSERT INTO registry_networks_g1 (network_id, name, timezone, version) VALUES (1, 'A', 'Europe/London', 1)`,
    );
    await run(
      `INSERT INTO registry_sites_g1 (site_id, network_id, name, timezone, version)
       VALUES (2, 1, 'B', 'Australia/Lord_Howe', 1), (3, 1, 'C', 'America/St_Johns', 1), (4, 1, 'D', 'Europe/London', 1)`,
    );
    const agreed = (await system.diagnose())['time-zones']!;
    expect(agreed.outcome).to.equal('ok');
    expect(agreed.found).to.match(
      /^3 zones have the same offsets in both; time zone data: ClickHouse \d{4}[a-z], Node.js \d{4}[a-z]$/,
    );

    // Labels the local times of London as those of Paris, so that they differ from the rules of Node.js.
    const misnamed: typeof reader = {
      ...reader,
      rows: async <Row>(...args: Parameters<typeof reader.rows>) =>
        (await reader.rows<Row & { zone?: string }>(...args)).map((row) =>
          row.zone === 'Europe/London' ? { ...row, zone: 'Europe/Paris' } : row,
        ),
    };
    const { outcome, found } = (await system.diagnose(withOnlyShard(system.writer, misnamed)))['time-zones']!;
    expect(outcome).to.equal('warning');
    expect(found).to.match(
      /^Europe\/Paris is UTC\+0[01]:00 in ClickHouse and UTC\+0[12]:00 in Node\.js on \d{4}-\d\d-\d\d; time zone data/,
    );
  });
});
