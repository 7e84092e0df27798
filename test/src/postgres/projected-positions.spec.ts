import { listShards, nameInShard } from '@popsvc/domain/partitioning';
import {
  migrate,
  openPostgres,
  type Postgres,
  readProjectedPositions,
  recordPartitionCount,
  registerProjection,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { sharedPostgres } from '../support/engines.ts';

describe('the projected positions of networks', () => {
  let postgres: Postgres;
  beforeEach(async () => {
    const url = await (await sharedPostgres()).freshDatabase();
    postgres = openPostgres({ url, log: createLog('test', 'silent'), name: 'test' });
    await migrate(postgres);
  });
  afterEach(() => postgres.end());

  const store = (projection: string, positions: readonly number[], generation = 1) =>
    postgres.query(
      `INSERT INTO checkpoints (projection, generation, partition, position, log_id)
       SELECT $1, $2, nth - 1, position, '' FROM unnest($3::bigint[]) WITH ORDINALITY AS p(position, nth)`,
      [projection, generation, positions],
    );
  /** Returns the positions by last digit; undefined for those without one. */
  const read = async () => {
    const positions = await readProjectedPositions(postgres);
    return Array.from({ length: 10 }, (_, digit) => positions.get(digit));
  };

  it('are none without a live generation or its checkpoint', async () => {
    expect(await read()).to.deep.equal(Array(10).fill(undefined));
    await registerProjection(postgres, 'coffee', 1);
    await store('coffee', [7], 2);
    expect(await read()).to.deep.equal(Array(10).fill(undefined));
  });

  it('are those of the live generation of coffee', async () => {
    for (const name of ['coffee', 'uptime']) await registerProjection(postgres, name, 1);
    await store('coffee', [5]);
    await store('coffee', [9], 2);
    await store('uptime', [1]);
    expect(await read()).to.deep.equal(Array(10).fill(5n));
  });

  it('are those of the partition of the network', async () => {
    await registerProjection(postgres, 'coffee', 1);
    await recordPartitionCount(postgres, 4);
    await store('coffee', [10, 20, 30]);
    const byPartition = [10n, 20n, 30n, undefined];
    expect(await read()).to.deep.equal([...byPartition, ...byPartition, 10n, 20n]);
  });

  it('are those of its shard, in the set of shards that is further', async () => {
    for (const name of ['coffee', ...listShards(2).map((shard) => nameInShard('coffee', shard))])
      await registerProjection(postgres, name, 1);
    await store('coffee', [6]);
    await store('coffee@1of2', [5]);
    await store('coffee@2of2', [8]);
    expect(await read()).to.deep.equal(Array.from({ length: 5 }, () => [6n, 8n]).flat());
  });
});
