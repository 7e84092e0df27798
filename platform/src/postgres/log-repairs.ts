import type { Shard } from '@popsvc/domain/partitioning';
import type { GenerationKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/**
 * After this call, the responses stored so far no longer count, because the log may lack their events. A `change` that is recorded already
 * has no effect.
 */
export const recordLogChange = async (postgres: Queryable, change: string): Promise<void> => {
  await postgres.query('INSERT INTO log_changes (change) VALUES ($1) ON CONFLICT DO NOTHING', [change]);
};

export interface LostEvents {
  /** When the log was repaired, as ISO 8601. This time identifies the repair. */
  readonly repaired_at: string;
  /** Number of rows of these events, by table; null for a table that could not be read. */
  readonly rows: Readonly<Record<string, number | null>>;
}

export interface RepairOfShard {
  readonly repairedAt: string;
  readonly shard: Shard;
}

export const isRepairRecorded = async (
  postgres: Queryable,
  { repairedAt, shard: { index, of } }: RepairOfShard,
): Promise<boolean> => {
  const { rowCount } = await postgres.query(
    'SELECT 1 FROM log_repairs WHERE repaired_at = $1 AND shard = $2 AND shards = $3',
    [repairedAt, index, of],
  );
  return rowCount === 1;
};

export const findGenerationsBeyond = async (
  postgres: Queryable,
  projections: readonly string[],
  position: bigint,
): Promise<readonly GenerationKey[]> => {
  const { rows } = await postgres.query<GenerationKey>(
    `SELECT DISTINCT projection, generation FROM generations JOIN checkpoints c USING (projection, generation)
     WHERE projection = ANY($1) AND state <> 'dropping' AND greatest(c.position, c.begun) >= $2
     ORDER BY projection, generation`,
    [projections, position],
  );
  return rows;
};

/**
 * Also requests the cancellation of unfinished replays of the affected projections. Does nothing if the repair is already recorded for the
 * shard.
 */
export const recordLogRepair = (
  postgres: Postgres,
  { repairedAt, shard: { index, of } }: RepairOfShard,
  affected: readonly (GenerationKey & { readonly lost: LostEvents })[],
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const { rowCount } = await client.query(
      'INSERT INTO log_repairs (repaired_at, shard, shards) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [repairedAt, index, of],
    );
    if (rowCount === 0) return;
    await recordLogChange(client, `repair of ${repairedAt}`);
    for (const { projection, generation, lost } of affected)
      await client.query(
        'UPDATE generations SET lost_events = lost_events || $3::jsonb WHERE projection = $1 AND generation = $2',
        [projection, generation, JSON.stringify([lost])],
      );
    await client.query(
      `UPDATE replays SET cancel_requested_at = coalesce(cancel_requested_at, now())
       WHERE ended_at IS NULL AND projection = ANY($1)`,
      [affected.map(({ projection }) => projection)],
    );
  });
