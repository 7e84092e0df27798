import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { Client } from 'pg';
import { sharedClickHouse, startTestEventStore, sharedPostgres } from '../support/engines.ts';

describe('the shared engines of the tests', () => {
  it('share one ClickHouse, with a database for each suite', async () => {
    const one = await sharedClickHouse();
    expect(await sharedClickHouse()).to.equal(one);
    const [first, second] = [await one.database(), await one.database()];
    expect(first).to.match(/^popsvc_test_[0-9a-f]{12}$/);
    expect(second).to.not.equal(first);
  });

  it('prepare a PostgreSQL template once and copy it', async () => {
    let prepared = 0;
    const prepare = async (url: string): Promise<void> => {
      prepared += 1;
      await query(url, 'CREATE TABLE kept AS SELECT 7 AS number');
    };
    const server = await sharedPostgres();
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

  it('include an event store for each suite, which can be killed and started again', async () => {
    const store = await startTestEventStore();
    const client = EventStoreDBClient.connectionString(store.url);
    await client.appendToStream('plays', jsonEvent({ type: 'PlaysRecorded', data: { number: 7 } }));
    await client.dispose();
    await store.kill9();
    await store.restart();
    const again = EventStoreDBClient.connectionString(store.url);
    const numbers: unknown[] = [];
    for await (const { event } of again.readStream('plays')) numbers.push(event?.data);
    expect(numbers).to.deep.equal([{ number: 7 }]);
    await again.dispose();
    await store.stop();
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
