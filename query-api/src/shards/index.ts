export { createRegistryReader, findInShards, groupByShard, type ReadRegistry } from './shards.ts';
