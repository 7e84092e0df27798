import { ApiError } from '@popsvc/contracts/errors';
import type { Shard } from '@popsvc/domain/partitioning';
import {
  type ClickHouseReader,
  describeShard,
  type QueryOptions,
  type ShardReader,
  type Sql,
} from '@popsvc/platform/clickhouse';
import { withDeadline } from '@popsvc/platform/runtime';

/** Returns whether a query failed because a shard of ClickHouse does not respond or is not ready. */
export const isShardAway = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'UNAVAILABLE';

/** Creates the error for a request that needs the rows of all shards. It names the shards that do not respond or are not ready. */
export const createShardsAwayError = (away: readonly Shard[], cause: unknown): ApiError => {
  const message = `This request reads all shards of ClickHouse. Not available: ${away.map(describeShard).join(', ')}. Retry later.`;
  return new ApiError('UNAVAILABLE', message, { cause });
};

const pingTimeoutMs = 2_000;

/** Returns the shards that do not respond or are not ready. */
const findShardsAway = async (shards: readonly ShardReader[]): Promise<readonly Shard[]> => {
  const results = await Promise.allSettled(shards.map(({ reader }) => withDeadline(reader.ping(), pingTimeoutMs)));
  return shards.filter((_, index) => results[index]!.status === 'rejected').map(({ shard }) => shard);
};

/** Wraps a reader of all shards. If a call of `rows` fails because shards do not respond or are not ready, the error names these shards. */
export const nameShardsAway = (reader: ClickHouseReader, shards: readonly ShardReader[]): ClickHouseReader => {
  if (shards.length === 1) return reader;
  return {
    ...reader,
    async rows<Row>(query: Sql, options?: QueryOptions) {
      try {
        return await reader.rows<Row>(query, options);
      } catch (error) {
        if (!isShardAway(error)) throw error;
        const away = await findShardsAway(shards);
        if (away.length === 0) throw error;
        throw createShardsAwayError(away, error);
      }
    },
  };
};
