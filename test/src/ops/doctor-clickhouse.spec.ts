import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Patient, patient } from './doctor.fixture.ts';

describe('doctor, of what is in ClickHouse', function () {
  this.timeout(60_000);
  let system: Patient;
  before(async () => {
    system = await patient();
  });
  after(() => system.close());

  const run = (sql: string) => system.writer.run(sql);

  it('asks for no table of a generation that is being dropped, or that a newer build made', async () => {
    const { postgres } = system;
    const insert = (generation: number, state: string, version: number) =>
      postgres.query(`INSERT INTO generations (projection, generation, state, version) VALUES ('jobs', $1, $2, $3)`, [
        generation,
        state,
        version,
      ]);
    const schema = async () => (await system.examined())['schema of clickhouse']!;
    await insert(4, 'dropping', 1);
    await insert(5, 'kept', 99);
    expect(await schema()).to.include({ outcome: 'ok' });
    await insert(6, 'kept', 1);
    expect((await schema()).found).to.include('bulk_jobs_g6 is missing');
    await postgres.query(`DELETE FROM generations WHERE projection = 'jobs' AND generation > 1`);
  });

  it('has nobody drop the tables of a replay that begins or ends while it looks', async () => {
    const { postgres, writer } = system;
    const insteadOf = (before: () => Promise<unknown>, after: () => Promise<unknown>) => ({
      ...writer,
      async rows<Row>(...asked: Parameters<typeof writer.rows>) {
        const isAboutTables = asked[0].includes('_at_');
        if (isAboutTables) await before();
        const rows = await writer.rows<Row>(...asked);
        if (isAboutTables) await after();
        return rows;
      },
    });
    const nothing = () => Promise.resolve();
    const known = () =>
      postgres.query(
        `INSERT INTO generations (projection, generation, state, version) VALUES ('jobs', 2, 'building', 1)
         ON CONFLICT DO NOTHING`,
      );
    const create = () => run('CREATE TABLE IF NOT EXISTS bulk_jobs_g2 AS bulk_jobs_g1');
    const drop = () => run('DROP TABLE IF EXISTS bulk_jobs_g2');
    const forget = () => postgres.query(`DELETE FROM generations WHERE projection = 'jobs' AND generation = 2`);
    // Others may answer sooner than ClickHouse.
    const begins = insteadOf(() => sleep(100).then(known).then(create), nothing);
    const ends = insteadOf(nothing, () => drop().then(forget));
    for (const during of [begins, ends])
      expect((await system.examined({ writer: during }))['generations']).to.include({ outcome: 'ok' });
  });

  it('finds disks that are nearly full, and leaves alone what tells no size', async () => {
    const { writer } = system;
    const disks = [
      { name: 'roomy', free: 50e9, size: 100e9 },
      { name: 'little', free: 10e9, size: 100e9 },
      { name: 'full', free: 1e9, size: 100e9 },
      { name: 'far', free: 0, size: 0 },
    ];
    const full = {
      ...writer,
      rows: <Row>(...asked: Parameters<typeof writer.rows>) =>
        asked[0].includes('system.disks') ? Promise.resolve(disks as Row[]) : writer.rows<Row>(...asked),
    };
    const found = await system.examined({ writer: full });
    const short = disks.map(({ name }) => found[`disk ${name} of clickhouse`]!).map((one) => [one.outcome, one.found]);
    expect(short).to.deep.equal([
      ['ok', '50.0 GB of 100.0 GB free (50 %)'],
      ['warning', '10.0 GB of 100.0 GB free (10 %)'],
      ['failed', '1.0 GB of 100.0 GB free (1 %)'],
      ['ok', 'free space is not reported'],
    ]);
    expect(found[`disk of ${process.cwd()}`]).to.have.property('outcome');
  });
});
