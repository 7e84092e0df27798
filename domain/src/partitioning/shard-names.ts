import { onlyShard, type Shard } from './partition.ts';

/** A name in one shard, such as `coffee@1of2`: in the first of two shards. With a single shard, it is the name itself. */
export type NameInShard<Name extends string> = Name | `${Name}@${number}of${number}`;

/**
 * Returns the name of a projection or table in a shard. PostgreSQL stores leases, checkpoints, generations and replays under this
 * name; in ClickHouse, tables and views have the same names in all shards.
 */
export const nameInShard = <Name extends string>(name: Name, { index, of }: Shard = onlyShard): NameInShard<Name> =>
  of === 1 ? name : `${name}@${index + 1}of${of}`;

/** Source of a regular expression for the end of a name in one of several shards. */
export const shardSuffixSource = '@\\d+of\\d+';

const shardSuffix = new RegExp(`${shardSuffixSource}$`);
const shardCount = /of(\d+)$/;

export const nameWithoutShard = (name: string): string => name.replace(shardSuffix, '');

/** Returns the number of shards that a name states; 1 for a name in a single shard. */
export const countShardsOf = (name: string): number =>
  Number(shardCount.exec(shardSuffix.exec(name)?.[0] ?? '')?.[1] ?? 1);

/** Describes a set of shards by their number: `1 shard` for a single server or cluster, `2 shards`. */
export const describeShardCount = (shards: number): string => `${shards} shard${shards === 1 ? '' : 's'}`;
