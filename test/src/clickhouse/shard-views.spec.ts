import { listShards, type Shard } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, describeShard, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createShardRuns, ensureSchema, markRunVerified, showVerifiedRuns } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { sharedClickHouse } from '../support/engines.ts';

const shards = listShards(3);

describe('the views of all shards', () => {
  let writer: ClickHouseWriter;
  before(async () => {
    const engine = await sharedClickHouse();
    writer = openClickHouseWriter({ url: `${engine.url}/${await engine.database()}`, ...engine.writer });
  });
  after(() => writer.close());

  it('know which shard a database is, and whether its tables were verified', async () => {
    await ensureSchema(writer, []);
    await writer.run(createShardRuns({ database: writer.database, shard: shards[1]! }));
    const read = () => writer.rows('SELECT shard, is_verified FROM shard_runs');
    expect(await read()).to.deep.equal([{ shard: 'shard 2 of 3', is_verified: 0 }]);
    await markRunVerified(writer);
    expect(await read()).to.deep.equal([{ shard: 'shard 2 of 3', is_verified: 1 }]);
  });

  it('are verified only if remote_servers lists each shard once, in any order', async () => {
    const to = `${writer.database}_shards`;
    await writer.run(`CREATE DATABASE ${to}`);
    // The place of the Distributed table, which has a row of each shard in `remote_servers`.
    await writer.run(
      `CREATE TABLE ${to}.shard_runs (shard String, is_verified UInt8, first_at DateTime64(3, 'UTC')) ENGINE = Memory`,
    );
    await writer.run(showVerifiedRuns(shards[0]!, to));
    const isVerified = async (listed: readonly Shard[], verified = listed): Promise<boolean> => {
      await writer.run(`TRUNCATE TABLE ${to}.shard_runs`);
      for (const shard of listed)
        await writer.run(
          `INSERT INTO ${to}.shard_runs SELECT '${describeShard(shard)}', ${verified.includes(shard) ? 1 : 0}, now64(3)`,
        );
      return (await writer.rows(`SELECT verified_at FROM ${to}.verified_runs`)).length > 0;
    };
    const [one, two, three] = shards as [Shard, Shard, Shard];
    expect(await isVerified([one, two, three])).to.equal(true);
    expect(await isVerified([three, one, two])).to.equal(true);
    expect(await isVerified([one, two, three], [one, three]), 'one is not verified').to.equal(false);
    expect(await isVerified([one, two]), 'one is missing').to.equal(false);
    expect(await isVerified([one, two, two]), 'one is listed twice').to.equal(false);
    expect(await isVerified([one, two, three, three]), 'one is listed again').to.equal(false);
    expect(await isVerified([one, two, listShards(4)[2]!]), 'one is of other shards').to.equal(false);
    expect(await isVerified([]), 'none is listed').to.equal(false);
  });
});
