import { networkStreamPrefixes, streamPrefixes } from '@popsvc/contracts/events';
import { partitionIndexSql } from '@popsvc/domain/partitioning';
import type { HandledEvent } from './checkpoints.ts';
import type { GenerationKey } from './leases.ts';
import { lockKeys, withLock } from './locks.ts';
import { parkedColumns } from './parked-events.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/** Returns undefined before the first start of the projectors. */
export const findPartitionCount = async (postgres: Queryable): Promise<number | undefined> => {
  const { rows } = await postgres.query<{ partitions: number }>('SELECT partitions FROM partitioning');
  return rows[0]?.partitions;
};

/** Returns 1 before the first start of the projectors. */
export const readPartitionCount = async (postgres: Queryable): Promise<number> =>
  (await findPartitionCount(postgres)) ?? 1;

export const recordPartitionCount = async (client: Queryable, partitions: number): Promise<void> => {
  await client.query(
    'INSERT INTO partitioning (partitions) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET partitions = excluded.partitions',
    [partitions],
  );
};

const lockTimeoutMs = 120_000;

/** Runs `work` while no other process becomes a member or changes the number of partitions. */
export const withMembersLock = <T>(postgres: Postgres, work: () => Promise<T>): Promise<T> =>
  withLock(postgres, lockKeys.partitions, lockTimeoutMs, work);

export interface RepartitionedGeneration extends GenerationKey {
  readonly shards: number;
  /** The lowest position from which a former partition would continue. */
  readonly position: bigint;
  readonly begun: bigint;
  /** Former partitions ended batches at these positions. The batches may be written in part, so new batches must end there, too. */
  readonly cuts: readonly bigint[];
  readonly logId: string;
  readonly event: HandledEvent | undefined;
  readonly partsPosition: bigint;
}

/** Null for an event that all partitions fold. */
const parkedNetworkSql = `CASE
  WHEN stream LIKE '${streamPrefixes.liveness}%' THEN coalesce(substring(raw from '.*"network": ?([0-9]+)')::numeric, 0)
  ELSE substring(stream from '^(?:${networkStreamPrefixes.join('|')})([0-9]+)[.]')::numeric END`;

const distributeParkedEvents = async (
  client: Queryable,
  { projection, generation, shards }: GenerationKey & Pick<RepartitionedGeneration, 'shards'>,
  partitions: number,
): Promise<void> => {
  const key = [projection, generation];
  await client.query(
    `CREATE TEMPORARY TABLE parked_before ON COMMIT DROP AS
     SELECT DISTINCT ON (sequence) ${parkedColumns}, ${parkedNetworkSql} AS network
     FROM parked_events WHERE projection = $1 AND generation = $2 ORDER BY sequence, state DESC`,
    key,
  );
  await client.query('DELETE FROM parked_events WHERE projection = $1 AND generation = $2', key);
  await client.query(
    `INSERT INTO parked_events (projection, generation, partition, ${parkedColumns})
     SELECT $1, $2, p.index, ${parkedColumns} FROM parked_before
     JOIN generate_series(0, $3::int - 1) AS p(index) ON network IS NULL
       OR ${partitionIndexSql('network', { partitions: '$3', shards: '$4' }, 'div')} = p.index`,
    [...key, partitions, shards],
  );
  await client.query('DROP TABLE parked_before');
};

export const replacePartitions = (
  postgres: Postgres,
  partitions: number,
  generations: readonly RepartitionedGeneration[],
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    // `acquire` in leases.ts locks this row first, too. Another order could cause a deadlock.
    await recordPartitionCount(client, partitions);
    for (const { projection, generation, shards, position, begun, cuts, logId, event, partsPosition } of generations) {
      const key = [projection, generation];
      await client.query('SELECT 1 FROM generations WHERE projection = $1 AND generation = $2 FOR UPDATE', key);
      await client.query(
        "UPDATE leases SET epoch = epoch + 1, owner = '', expires_at = now() WHERE projection = $1 AND generation = $2",
        key,
      );
      const { rows } = await client.query<{ stopped_at: string | null; resumed_at: Date | null }>(
        `WITH former AS (DELETE FROM checkpoints WHERE projection = $1 AND generation = $2 RETURNING *)
         SELECT min(parking_stopped_at) AS stopped_at, max(parking_from) AS resumed_at FROM former`,
        key,
      );
      await client.query(
        `INSERT INTO checkpoints (projection, generation, partition, position, begun, cuts, log_id, event_position, event_id,
           parts_position, parking_stopped_at, parking_from)
         SELECT $1, $2, p.index, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM generate_series(0, $3::int - 1) AS p(index)`,
        [
          ...key,
          partitions,
          position,
          begun,
          cuts,
          logId,
          event?.position ?? 0n,
          event?.id ?? null,
          partsPosition,
          rows[0]?.stopped_at,
          rows[0]?.resumed_at,
        ],
      );
      await client.query('UPDATE generations SET held_until = NULL WHERE projection = $1 AND generation = $2', key);
      await client.query('DELETE FROM projection_status WHERE projection = $1 AND generation = $2', key);
      await distributeParkedEvents(client, { projection, generation, shards }, partitions);
    }
  });
