/** One of the sets of ClickHouse servers among which the networks are divided. */
export interface Shard {
  /** 0 to `of` - 1. */
  readonly index: number;
  /** Number of shards, 1 to 10. */
  readonly of: number;
}

const digitCount = 10;

export const onlyShard: Shard = { index: 0, of: 1 };

export const listShards = (count: number): readonly Shard[] =>
  Array.from({ length: count }, (_, index) => ({ index, of: count }));

export const shardOf = (network: number, shards: number): Shard => ({
  index: (network % digitCount) % shards,
  of: shards,
});

/** SQL equivalent of `shardOf`. The arguments are SQL expressions or numbers. */
export const shardIndexSql = (network: string, shards: string | number): string => `${network} % 10 % ${shards}`;

export const shardOwnsNetwork = ({ index, of }: Shard, network: number): boolean =>
  shardOf(network, of).index === index;

export const findShard = <Each extends { readonly shard: Shard }>(shards: readonly Each[], network: number): Each =>
  shards.find(({ shard }) => shardOwnsNetwork(shard, network))!;

/** One of the parts into which a projection is split by network. */
export interface Partition {
  /** 0 to `of` - 1. */
  readonly index: number;
  /** Number of partitions in the shard, at most `maxPartitionsOf(shards)`. */
  readonly of: number;
  /** The shard whose networks are divided. Default: the only shard. */
  readonly shard?: Shard;
}

export const maxPartitions = digitCount;
export const maxShards = digitCount;

/** Returns the highest number of partitions for which each partition of each shard has networks. */
export const maxPartitionsOf = (shards: number): number => Math.floor(digitCount / shards);

/** The only partition of a projection that is not split. */
export const wholeProjection: Partition = { index: 0, of: 1 };

export const listPartitions = (count: number, shard?: Shard): readonly Partition[] =>
  Array.from({ length: count }, (_, index) => ({ index, of: count, ...(shard && { shard }) }));

export const partitionOf = (network: number, { partitions, shards }: { partitions: number; shards: number }): number =>
  Math.floor((network % digitCount) / shards) % partitions;

/** SQL equivalent of `partitionOf`. The arguments are SQL expressions. PostgreSQL needs `div`. */
export const partitionIndexSql = (
  network: string,
  { partitions, shards }: { readonly partitions: string; readonly shards: string },
  divide: 'intDiv' | 'div' = 'intDiv',
): string => `${divide}(${network} % 10, ${shards}) % ${partitions}`;

export const ownsNetwork = ({ index, of, shard = onlyShard }: Partition, network: number): boolean =>
  shardOwnsNetwork(shard, network) && partitionOf(network, { partitions: of, shards: shard.of }) === index;

/** Returns the last decimal digits of the ids of a partition's networks. */
export const digitsOf = (partition: Partition): readonly number[] =>
  Array.from({ length: digitCount }, (_, digit) => digit).filter((digit) => ownsNetwork(partition, digit));

export const ownsAllNetworks = ({ of, shard = onlyShard }: Partition): boolean => of === 1 && shard.of === 1;

/** `coffee@1of2` is `coffee` in the first of two shards. With a single shard, the name has no suffix. */
export type NameInShard<Name extends string> = Name | `${Name}@${number}of${number}`;

/**
 * Distinguishes the shards outside of ClickHouse, for example in PostgreSQL. In ClickHouse, tables and views have the same names in all
 * shards.
 */
export const nameInShard = <Name extends string>(name: Name, { index, of }: Shard = onlyShard): NameInShard<Name> =>
  of === 1 ? name : `${name}@${index + 1}of${of}`;

/** Source of a regular expression that matches the suffix of `nameInShard`. */
export const shardSuffixSource = '@\\d+of\\d+';

const shardSuffix = new RegExp(`${shardSuffixSource}$`);
const shardCount = /of(\d+)$/;

export const nameWithoutShard = (name: string): string => name.replace(shardSuffix, '');

/** Returns 1 for a name without suffix. */
export const countShardsOf = (name: string): number =>
  Number(shardCount.exec(shardSuffix.exec(name)?.[0] ?? '')?.[1] ?? 1);

export const describeShardCount = (shards: number): string => `${shards} shard${shards === 1 ? '' : 's'}`;
