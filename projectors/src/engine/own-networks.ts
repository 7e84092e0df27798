import { onlyShard, type Partition, partitionIndexSql } from '@popsvc/domain/partitioning';

/** Does not check the shard: the tables of split projections contain only networks of their shard. */
export const isOwnNetwork = `({partitions:UInt8} = 1 OR ${partitionIndexSql('network_id', { partitions: '{partitions:UInt8}', shards: '{shards:UInt8}' })} = {partition:UInt8})`;

export const partitionParameters = ({ index, of, shard = onlyShard }: Partition) => ({
  partitions: of,
  partition: index,
  shards: shard.of,
});
