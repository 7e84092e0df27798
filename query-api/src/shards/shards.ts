import { findShard, type Shard } from '@popsvc/domain/partitioning';
import type { ClickHouseReader, ShardReader, Sql } from '@popsvc/platform/clickhouse';
import { withDeadline } from '@popsvc/platform/runtime';
import type { PinGenerations, ReadProgress } from '../generations/live-generations.ts';

/** Reads a shard of ClickHouse, which contains the rows of some networks and the whole registry. */
export interface NetworkShard {
  readonly shard: Shard;
  readonly reader: ClickHouseReader;
  readonly readProgress: ReadProgress;
  readonly pinGenerations: PinGenerations;
}

/** Finds the shard of a network. */
export type ShardOf<Each extends { readonly shard: Shard } = NetworkShard> = (network: number) => Each;

/** A shard with some of its networks. */
interface NetworksOfShard<Each> {
  readonly shard: Each;
  readonly networks: readonly number[];
}

/** Groups networks by shard. Keeps their order in each group; the first group is that of the first network. */
export const groupByShard = <Each>(
  shardOf: (network: number) => Each,
  networks: readonly number[],
): readonly NetworksOfShard<Each>[] => {
  const groups = new Map<Each, number[]>();
  for (const network of networks) {
    const shard = shardOf(network);
    const group = groups.get(shard);
    if (group) group.push(network);
    else groups.set(shard, [network]);
  }
  return [...groups].map(([shard, ofShard]) => ({ shard, networks: ofShard }));
};

/**
 * Finds what at most one shard has. Resolves as soon as a shard has found it, even if others do not respond. Resolves with undefined if
 * all shards respond and none has it; otherwise throws the error of a shard.
 */
export const findInShards = async <Each, Found>(
  groups: readonly NetworksOfShard<Each>[],
  find: (group: NetworksOfShard<Each>) => Promise<Found | undefined>,
): Promise<Found | undefined> => {
  const results = groups.map(find);
  const requireFound = async (result: Promise<Found | undefined>) =>
    (await result) ?? Promise.reject(new Error('not in this shard'));
  try {
    return await Promise.any(results.map(requireFound));
  } catch {
    await Promise.all(results);
    return undefined;
  }
};

/** Queries the registry, which is in every shard. `network`: the network whose shard is queried first. */
export type ReadRegistry = <Row>(query: Sql, network: number) => Promise<readonly Row[]>;

/** How long a shard may take to respond while another one can. */
const registryTimeoutMs = 2_000;
/** For this long, a shard that did not respond is queried after the others. */
const avoidMs = 5_000;

/** Creates a function that queries the registry in one shard, or in the next one if that does not respond. */
export const createRegistryReader = (
  shards: readonly (Pick<ShardReader, 'shard'> & { readonly reader: Pick<ClickHouseReader, 'rows'> })[],
): ReadRegistry => {
  const avoidedUntil = new Map<number, number>();
  const isAvoided = ({ index }: Shard) => (avoidedUntil.get(index) ?? 0) > performance.now();
  return async <Row>(query: Sql, network: number) => {
    const own = findShard(shards, network);
    const ordered = [own, ...shards.filter((each) => each !== own)].toSorted(
      (one, other) => Number(isAvoided(one.shard)) - Number(isAvoided(other.shard)),
    );
    const last = ordered.pop()!;
    for (const { shard, reader } of ordered)
      try {
        return await withDeadline(reader.rows<Row>(query), registryTimeoutMs);
      } catch {
        avoidedUntil.set(shard.index, performance.now() + avoidMs);
      }
    return last.reader.rows<Row>(query);
  };
};
