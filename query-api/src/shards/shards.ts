import { findShard, type Shard } from '@popsvc/domain/partitioning';
import type { ClickHouseReader, Sql } from '@popsvc/platform/clickhouse';
import { withDeadline } from '@popsvc/platform/runtime';
import { LRUCache } from 'lru-cache';
import { factsIdOf, type PinGenerations, type ReadProgress } from '../generations/live-generations.ts';

/** A shard contains the rows of its networks and the whole registry. */
export interface NetworkShard {
  readonly shard: Shard;
  readonly reader: ClickHouseReader;
  readonly readProgress: ReadProgress;
  readonly pinGenerations: PinGenerations;
}

export type ShardOf<Each extends { readonly shard: Shard } = NetworkShard> = (network: number) => Each;

interface NetworksOfShard<Each> {
  readonly shard: Each;
  readonly networks: readonly number[];
}

/** Groups keep the order of the networks, and the first group contains the first network. */
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
 * Resolves as soon as one shard finds something, even if others do not respond. If none does and a shard fails, throws the error of that
 * shard.
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

interface RegistryQuery {
  readonly key: string;
  readonly query: Sql;
  /** Whether to return the last rows of the query, if they are cached, when all shards fail. */
  readonly allowsStale?: boolean;
}

/** Every shard has the registry. The shard of `network` is queried first, unless it failed recently. */
export type ReadRegistry = <Row>(query: RegistryQuery, network: number) => Promise<readonly Row[]>;

/** Time to respond before the next shard is queried. */
const registryTimeoutMs = 2_000;
/** For this long after a failure, a shard is queried after the others. */
const avoidMs = 5_000;

/** In characters. An entry counts with the length of its key, which lists ids, plus `sizeOfResult` for its rows. */
const [maxKept, sizeOfResult] = [32_000_000, 500];
const maxLastRows = 10_000;

interface KeptRows {
  readonly factsId: string;
  readonly rows: Promise<readonly unknown[]>;
}

type RegistryShard = Pick<NetworkShard, 'shard' | 'readProgress'> & { readonly reader: Pick<ClickHouseReader, 'rows'> };

export const createRegistryReader = (shards: readonly RegistryShard[]): ReadRegistry => {
  const avoidedUntil = new Map<number, number>();
  const isAvoided = ({ index }: Shard) => (avoidedUntil.get(index) ?? 0) > performance.now();
  const kept = new LRUCache<string, KeptRows>({
    maxSize: maxKept,
    sizeCalculation: (_, key) => key.length + sizeOfResult,
  });
  const lastRows = new LRUCache<string, readonly unknown[]>({ max: maxLastRows });
  const readIn = async <Row>({ shard, reader, readProgress }: RegistryShard, { key, query }: RegistryQuery) => {
    // In this order, the rows are at least as new as the progress with which they are cached.
    const progress = await readProgress('registry', { isRequired: true });
    if (!progress) return reader.rows<Row>(query);
    const [id, factsId] = [`${shard.index} ${key}`, factsIdOf(progress)];
    const found = kept.get(id);
    if (found?.factsId === factsId) return found.rows as Promise<readonly Row[]>;
    const rows = reader.rows<Row>(query);
    kept.set(id, { factsId, rows });
    rows.catch(() => {
      if (kept.get(id)?.rows === rows) kept.delete(id);
    });
    return rows;
  };
  const readInOrder = async <Row>(ordered: readonly RegistryShard[], query: RegistryQuery) => {
    for (const each of ordered.slice(0, -1))
      try {
        return await withDeadline(readIn<Row>(each, query), registryTimeoutMs);
      } catch {
        avoidedUntil.set(each.shard.index, performance.now() + avoidMs);
      }
    return readIn<Row>(ordered.at(-1)!, query);
  };
  return async <Row>(query: RegistryQuery, network: number) => {
    const own = findShard(shards, network);
    const ordered = [own, ...shards.filter((each) => each !== own)].toSorted(
      (one, other) => Number(isAvoided(one.shard)) - Number(isAvoided(other.shard)),
    );
    try {
      const rows = await readInOrder<Row>(ordered, query);
      if (query.allowsStale) lastRows.set(query.key, rows);
      return rows;
    } catch (error) {
      const last = query.allowsStale && lastRows.get(query.key);
      if (!last) throw error;
      return last as readonly Row[];
    }
  };
};
