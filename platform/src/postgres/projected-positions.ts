import { countShardsOf, nameInShard, partitionOf, shardOf } from '@popsvc/domain/partitioning';
import type { Queryable } from './pool.ts';

/** The key is the last decimal digit of a network's id. A digit is absent if its partition has no checkpoint. */
export const readProjectedPositions = async (postgres: Queryable): Promise<ReadonlyMap<number, bigint>> => {
  const { rows } = await postgres.query<{
    projection: string;
    partition: number;
    position: string;
    partitions: number;
  }>(
    `SELECT projection, c.partition, c.position, coalesce((SELECT partitions FROM partitioning), 1) AS partitions
     FROM read_models m JOIN checkpoints c USING (projection)
     WHERE c.generation = m.live_generation AND (projection = 'coffee' OR projection LIKE 'coffee@%')`,
  );
  const positions = new Map<number, bigint>();
  for (const { projection, partition, position, partitions } of rows) {
    const shards = countShardsOf(projection);
    for (let digit = 0; digit < 10; digit += 1) {
      const isOwn =
        nameInShard('coffee', shardOf(digit, shards)) === projection &&
        partitionOf(digit, { partitions, shards }) === partition;
      if (isOwn && BigInt(position) > (positions.get(digit) ?? -1n)) positions.set(digit, BigInt(position));
    }
  }
  return positions;
};
