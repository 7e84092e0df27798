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

/** Whether a query failed because a shard of ClickHouse does not respond or is not ready. */
export const isShardAway = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'UNAVAILABLE';

export const createShardsAwayError = (away: readonly Shard[], cause: unknown): ApiError => {
  const message = `This request reads all shards of ClickHouse. Not available: ${away.map(describeShard).join(', ')}. Retry later.`;
  return new ApiError('UNAVAILABLE', message, { cause });
};

const pingTimeoutMs = 2_000;

const findShardsAway = async (shards: readonly ShardReader[]): Promise<readonly Shard[]> => {
  const results = await Promise.allSettled(shards.map(({ reader }) => withDeadline(reader.ping(), pingTimeoutMs)));
  return shards.filter((_, index) => results[index]!.status === 'rejected').map(({ shard }) => shard);
};

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
