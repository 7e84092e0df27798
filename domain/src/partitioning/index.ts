export {
  digitsOf,
  findShard,
  listPartitions,
  listShards,
  maxPartitions,
  maxPartitionsOf,
  maxShards,
  onlyShard,
  ownsNetwork,
  type Partition,
  partitionIndexSql,
  partitionOf,
  type Shard,
  shardIndexSql,
  shardOf,
  shardOwnsNetwork,
  wholeProjection,
} from './partition.ts';
export {
  countShardsOf,
  describeShardCount,
  type NameInShard,
  nameInShard,
  nameWithoutShard,
  shardSuffixSource,
} from './shard-names.ts';
export { mayOwnStream, ownsEvent, type PartitionStreams, selectStreams } from './streams.ts';
