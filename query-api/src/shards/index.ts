export {
  createRegistryReader,
  findInShards,
  groupByShard,
  type NetworkShard,
  type ReadRegistry,
  type ShardOf,
} from './shards.ts';
