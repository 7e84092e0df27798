import { migrate, type Migration, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { testPostgres } from '../support/engines.ts';

const log = createLog('test', 'silent');

describe('records: migrations', () => {
  let pools: Postgres[];
  beforeEach(async () => {
    const url = await (await testPostgres()).freshDatabase();
    pools = Array.from({ length: 4 }, (_, index) => openPostgres({ url, log, name: `test ${index}` }));
  });
  afterEach(() => Promise.all(pools.map((pool) => pool.end())));

  const steps: readonly Migration[] = [
    { name: '1-things', sql: 'CREATE TABLE things (id int PRIMARY KEY); INSERT INTO things VALUES (1)' },
    { name: '2-more', sql: 'ALTER TABLE things ADD COLUMN name text' },
  ];

  it('are taken once and in order, however many processes start at the same time', async () => {
    const taken = await Promise.all(pools.map((pool) => migrate(pool, steps)));
    expect(taken.flat()).to.deep.equal(['1-things', '2-more']);
    expect((await pools[0]!.query('SELECT * FROM things')).rows).to.deep.equal([{ id: 1, name: null }]);
    expect(await migrate(pools[1]!, steps)).to.deep.equal([]);
  });

  it('leave nothing behind when one fails', async () => {
    const [pool] = pools as [Postgres];
    const broken = [...steps, { name: '3-broken', sql: 'CREATE TABLE x (id int); SELECT 1 / 0' }];
    const outcome = await migrate(pool, broken).then(
      () => 'taken',
      () => 'failed',
    );
    expect(outcome).to.equal('failed');
    const { rows } = await pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
    expect(rows).to.deep.equal([]);
    expect(await migrate(pool, steps)).to.deep.equal(['1-things', '2-more']);
  });

  it('of this build all have names of their own and work on an empty database', async () => {
    const taken = await migrate(pools[0]!);
    expect(taken.length).to.be.greaterThan(1);
    expect(new Set(taken)).to.have.property('size', taken.length);
    expect(await migrate(pools[0]!)).to.deep.equal([]);
  });
});
