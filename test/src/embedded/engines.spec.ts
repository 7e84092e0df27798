import { expect } from 'chai';
import { Client } from 'pg';
import { clickhouse, postgres } from '../support/engines.ts';

describe('the engines of the tests', () => {
  it('share one ClickHouse and give each suite a database', async () => {
    const one = await clickhouse();
    expect(await clickhouse()).to.equal(one);
    const [first, second] = [await one.database(), await one.database()];
    expect(first).to.match(/^popsvc_test_[0-9a-f]{12}$/);
    expect(second).to.not.equal(first);
  });

  it('prepare a template once and copy it', async () => {
    let prepared = 0;
    const prepare = async (url: string): Promise<void> => {
      prepared += 1;
      await query(url, 'CREATE TABLE kept AS SELECT 7 AS number');
    };
    const server = await postgres();
    const [first, second, empty] = [
      await server.freshDatabase(prepare),
      await server.freshDatabase(prepare),
      await server.freshDatabase(),
    ];
    await query(first, 'DELETE FROM kept');
    expect(await query(second, 'SELECT number FROM kept')).to.deep.equal([{ number: 7 }]);
    expect(await query(empty, "SELECT count(*)::int AS count FROM pg_tables WHERE tablename = 'kept'")).to.deep.equal([
      { count: 0 },
    ]);
    expect(prepared).to.equal(1);
  });
});

const query = async (url: string, sql: string): Promise<readonly unknown[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
};
