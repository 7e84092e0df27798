import type { LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/** Events that a repair removed from the log, and that a generation has projected before. A replay would delete their rows. */
export interface LostEvents {
  /** When the log was repaired, as ISO 8601. Identifies the repair. */
  readonly repaired_at: string;
  /** Number of rows of these events, by table; null for a table that could not be read. */
  readonly rows: Readonly<Record<string, number | null>>;
  /** File with the facts among these rows; null if there are none. */
  readonly file: string | null;
}

/** Returns whether the effects of a repair on the generations were recorded. */
export const isRepairRecorded = async (postgres: Queryable, repairedAt: string): Promise<boolean> => {
  const { rowCount } = await postgres.query('SELECT 1 FROM log_repairs WHERE repaired_at = $1', [repairedAt]);
  return rowCount === 1;
};

/** Returns the generations that have handled, or begun to handle, events at `position` or later. */
export const findGenerationsBeyond = async (postgres: Queryable, position: bigint): Promise<readonly LeaseKey[]> => {
  const { rows } = await postgres.query<LeaseKey>(
    `SELECT projection, generation FROM generations JOIN checkpoints c USING (projection, generation)
     WHERE state <> 'dropping' AND greatest(c.position, c.begun) >= $1 ORDER BY projection, generation`,
    [position],
  );
  return rows;
};

/**
 * Records a repair with the generations that contain rows of removed events, and requests the cancellation of their unfinished
 * replays. Changes nothing if the repair is recorded already.
 */
export const recordLogRepair = (
  postgres: Postgres,
  repairedAt: string,
  affected: readonly (LeaseKey & { readonly lost: LostEvents })[],
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const { rowCount } = await client.query(
      'INSERT INTO log_repairs (repaired_at) VALUES ($1) ON CONFLICT DO NOTHING',
      [repairedAt],
    );
    if (rowCount === 0) return;
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
