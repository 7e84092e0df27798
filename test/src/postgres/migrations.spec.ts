import { migrate, type Migration, openPostgres, type Postgres, UnsupportedDatabase } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { sharedPostgres } from '../support/engines.ts';

const log = createLog('test', 'silent');

describe('PostgreSQL migrations', () => {
  let pools: Postgres[];
  beforeEach(async () => {
    const url = await (await sharedPostgres()).freshDatabase();
    pools = Array.from({ length: 4 }, (_, index) => openPostgres({ url, log, name: `test ${index}` }));
  });
  afterEach(() => Promise.all(pools.map((pool) => pool.end())));

  const steps: readonly Migration[] = [
    { name: '1-things', sql: 'CREATE TABLE things (id int PRIMARY KEY); INSERT INTO things VALUES (1)' },
    { name: '2-more', sql: 'ALTER TABLE things ADD COLUMN name text' },
  ];
  const tablesOf = async (pool: Postgres) =>
    (
      await pool.query<{ tablename: string }>(
        `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
      )
    ).rows;

  it('run once and in order when several processes start at the same time', async () => {
    const taken = await Promise.all(pools.map((pool) => migrate(pool, steps)));
    expect(taken.flat()).to.deep.equal(['1-things', '2-more']);
    expect((await pools[0]!.query('SELECT * FROM things')).rows).to.deep.equal([{ id: 1, name: null }]);
    expect(await migrate(pools[1]!, steps)).to.deep.equal([]);
  });

  it('may take longer than the statements of requests, also while another process waits', async () => {
    const [first, second] = pools as [Postgres, Postgres];
    const slow = [{ name: '1-slow', sql: 'SELECT pg_sleep(4.5)' }];
    const taken = await Promise.all([migrate(first, slow), migrate(second, slow)]);
    expect(taken.flat()).to.deep.equal(['1-slow']);
  });

  it('change nothing when one of them fails', async () => {
    const [pool] = pools as [Postgres];
    const broken = [...steps, { name: '3-broken', sql: 'CREATE TABLE x (id int); SELECT 1 / 0' }];
    const outcome = await migrate(pool, broken).then(
      () => 'taken',
      () => 'failed',
    );
    expect(outcome).to.equal('failed');
    expect(await tablesOf(pool)).to.deep.equal([]);
    expect(await migrate(pool, steps)).to.deep.equal(['1-things', '2-more']);
  });

  it('of this release create all tables in an empty database, and have unique names', async () => {
    const taken = await migrate(pools[0]!);
    expect(taken).to.include('0001-baseline');
    expect(new Set(taken)).to.have.property('size', taken.length);
    expect(await migrate(pools[0]!)).to.deep.equal([]);
  });

  it('refuse a database of an unreleased version, say what to do, and leave it as it is', async () => {
    const [pool] = pools as [Postgres];
    await migrate(pool, [{ name: '0001-api-keys', sql: 'CREATE TABLE api_keys (id int)' }]);
    const error = await migrate(pool).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(error).to.be.instanceOf(UnsupportedDatabase);
    expect((error as Error).message)
      .to.include('unreleased version')
      .and.include('remove its data folder')
      .and.include('create a new, empty database');
    expect(await tablesOf(pool)).to.deep.equal([{ tablename: 'api_keys' }, { tablename: 'schema_migrations' }]);
  });
});
