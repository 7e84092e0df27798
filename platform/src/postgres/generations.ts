import { timeZoneVersion } from '@popsvc/contracts/time-zones';
import type { GenerationKey, LeaseKey } from './leases.ts';
import type { LostEvents } from './log-repairs.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';
import type { LostPart, TableDamage } from './table-parts.ts';

/**
 * `building`: a replay is building the generation while another one is live. `kept`: the generation was live before and is
 * available for a rollback. `dropping`: its tables are being dropped.
 */
export type GenerationState = 'building' | 'live' | 'kept' | 'dropping';

/** A generation: one complete set of a projection's tables in ClickHouse. */
export interface GenerationRecord extends GenerationKey {
  readonly state: GenerationState;
  /** Version of the projection code that built the generation. */
  readonly version: number;
  /** Version of the time zone data when the generation was created; empty if a former release created it. */
  readonly timeZones: string;
  /** Number of partitions of projections that are split by network. Other projections have one partition. */
  readonly partitions: number;
  readonly paused: boolean;
  readonly createdAt: Date;
  /** When the generation last became live. */
  readonly switchedAt: Date | null;
  /** Time after which a kept generation may be dropped. */
  readonly dropAfter: Date | null;
  /** Tables that were created after the generation was built. They lack the rows of earlier events. */
  readonly incompleteTables: readonly string[];
  /** Damaged tables. Readers refuse them, and the generation is not written to until a replay has replaced it. */
  readonly damage: readonly TableDamage[];
  /**
   * Events that the generation contains and that a repair has removed from the log. A replay would lose their rows, so it begins
   * only if an operator starts it.
   */
  readonly lostEvents: readonly LostEvents[];
  /**
   * Lost parts of the table whose rows are derived from facts (what the projection stores of events). Readers refuse the time
   * ranges of these parts until the rows are derived again.
   */
  readonly healing: readonly LostPart[];
}

/** Reads all generations, ordered by projection and then from the newest to the oldest. */
export const readGenerations = async (postgres: Queryable): Promise<readonly GenerationRecord[]> => {
  const { rows } = await postgres.query<GenerationRecord>(
    `SELECT g.projection, g.generation, g.state, g.version, m.paused_at IS NOT NULL AS paused,
       g.created_at AS "createdAt", g.switched_at AS "switchedAt", g.drop_after AS "dropAfter", g.incomplete_tables AS "incompleteTables", g.damage,
       g.healing, g.time_zones AS "timeZones", g.lost_events AS "lostEvents",
       coalesce((SELECT partitions FROM partitioning), 1) AS partitions
     FROM generations g JOIN read_models m USING (projection) ORDER BY g.projection, g.generation DESC`,
  );
  return rows;
};

/**
 * Creates generation 1 of a projection, which is live at once. Does nothing if the projection exists. `version`: that of the
 * projection code.
 */
export const registerProjection = async (postgres: Queryable, projection: string, version: number): Promise<void> => {
  await postgres.query(
    `WITH model AS (
       INSERT INTO read_models (projection, live_generation) VALUES ($1, 1) ON CONFLICT DO NOTHING RETURNING 1)
     INSERT INTO generations (projection, generation, state, version, time_zones, switched_at)
     SELECT $1, 1, 'live', $2, $3, now() FROM model`,
    [projection, version, timeZoneVersion],
  );
};

/** Records which tables of a generation were created after the generation was built. */
export const recordIncompleteTables = async (
  postgres: Queryable,
  { projection, generation }: GenerationKey,
  incompleteTables: readonly string[],
): Promise<void> => {
  await postgres.query('UPDATE generations SET incomplete_tables = $3 WHERE projection = $1 AND generation = $2', [
    projection,
    generation,
    incompleteTables,
  ]);
};

/** Pauses or resumes a projection. Returns false if the projection does not exist. */
export const pauseProjection = async (postgres: Queryable, projection: string, paused: boolean): Promise<boolean> => {
  if (!paused)
    // A projection that stopped because it parked too many events may park events again once it is resumed.
    await postgres.query(
      'UPDATE checkpoints SET parking_stopped_at = NULL, parking_from = now() WHERE projection = $1 AND parking_stopped_at IS NOT NULL',
      [projection],
    );
  const { rowCount } = await postgres.query(
    `UPDATE read_models SET paused_at = CASE WHEN $2 THEN coalesce(paused_at, now()) END WHERE projection = $1`,
    [projection, paused],
  );
  return rowCount === 1;
};

export interface GenerationToDrop extends GenerationKey {
  /** Version of the projection code that built the generation. */
  readonly version: number;
}

/**
 * Marks kept generations as `dropping` once their `drop_after` time has passed, unless a rollback to them is unfinished. Returns
 * all generations to drop.
 */
export const collectGenerationsToDrop = async (postgres: Queryable): Promise<readonly GenerationToDrop[]> => {
  await postgres.query(
    `UPDATE generations g SET state = 'dropping' WHERE state = 'kept' AND drop_after < now()
     AND NOT EXISTS (SELECT 1 FROM replays r
       WHERE r.projection = g.projection AND r.to_generation = g.generation AND r.ended_at IS NULL)`,
  );
  const { rows } = await postgres.query<GenerationToDrop>(
    `SELECT projection, generation, version FROM generations WHERE state = 'dropping' ORDER BY projection, generation`,
  );
  return rows;
};

/** Marks an unfinished generation as `dropping` because its replay was abandoned. */
export const abandonGeneration = async (
  postgres: Queryable,
  { projection, generation }: GenerationKey,
): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET state = 'dropping' WHERE projection = $1 AND generation = $2 AND state = 'building'`,
    [projection, generation],
  );
};

/** Deletes the PostgreSQL rows of a generation whose ClickHouse tables were dropped. */
export const deleteGeneration = (postgres: Postgres, { projection, generation }: GenerationKey): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const { rowCount } = await client.query(
      `DELETE FROM generations WHERE projection = $1 AND generation = $2 AND state = 'dropping'`,
      [projection, generation],
    );
    if (rowCount === 0) return;
    for (const table of ['leases', 'checkpoints', 'projection_status', 'parked_events', 'table_parts'])
      await client.query(`DELETE FROM ${table} WHERE projection = $1 AND generation = $2`, [projection, generation]);
  });

/**
 * Puts a generation on hold: its writers do not begin a batch until the hold ends. Another call extends the hold. If the previous
 * hold has expired, clears the stored pause positions, because the writers may have continued since then.
 *
 * The statement compares the expiry with clock_timestamp(), because now() returns the start time of the transaction. While the
 * statement waits for the row lock, the hold may expire and a writer may begin a batch.
 *
 * `byEpoch` is the lease epoch of the caller. Returns false and changes nothing if a process with a later epoch has put the
 * generation on hold, or if the generation does not exist.
 */
export const holdGeneration = (
  postgres: Postgres,
  { projection, generation }: GenerationKey,
  forMs: number,
  byEpoch = 0n,
): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    const key = [projection, generation];
    const { rows } = await client.query<{ is_held: boolean }>(
      `SELECT coalesce(held_until > clock_timestamp(), false) AS is_held FROM generations
       WHERE projection = $1 AND generation = $2 AND held_by_epoch <= $3 FOR UPDATE`,
      [...key, byEpoch],
    );
    const [row] = rows;
    if (!row) return false;
    if (!row.is_held) await clearHeldPositions(client, { projection, generation });
    await client.query(
      `UPDATE generations SET held_until = now() + $3 * interval '1 millisecond', held_by_epoch = $4
       WHERE projection = $1 AND generation = $2`,
      [...key, forMs, byEpoch],
    );
    return true;
  });

const clearHeldPositions = (client: Queryable, { projection, generation }: GenerationKey) =>
  client.query(
    `UPDATE checkpoints SET held_position = NULL
     WHERE projection = $1 AND generation = $2 AND held_position IS NOT NULL`,
    [projection, generation],
  );

/**
 * Returns the positions where the writers paused, by partition. A partition is absent until its writer has acknowledged the hold.
 * Empty if the hold has ended.
 */
export const readHeldPositions = async (
  postgres: Queryable,
  { projection, generation }: GenerationKey,
): Promise<ReadonlyMap<number, bigint>> => {
  const { rows } = await postgres.query<{ partition: number; held_position: string }>(
    `SELECT partition, held_position FROM checkpoints JOIN generations g USING (projection, generation)
     WHERE projection = $1 AND generation = $2 AND g.held_until > now() AND held_position IS NOT NULL`,
    [projection, generation],
  );
  return new Map(rows.map(({ partition, held_position: position }) => [partition, BigInt(position)]));
};

/** Ends a hold, unless a process with a later epoch has prolonged it. */
export const releaseGeneration = (
  postgres: Postgres,
  { projection, generation }: GenerationKey,
  byEpoch = 0n,
): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE generations SET held_until = NULL WHERE projection = $1 AND generation = $2 AND held_by_epoch <= $3`,
      [projection, generation, byEpoch],
    );
    if (rowCount === 1) await clearHeldPositions(client, { projection, generation });
  });

/**
 * Returns whether a generation is on hold. The writer of a partition calls this in the transaction that begins a batch. If the
 * generation is on hold and the caller still has the lease, stores `position` as the held position of the partition.
 */
export const acknowledgeHold = async (
  client: Queryable,
  { projection, generation, partition = 0, epoch }: LeaseKey & { readonly epoch: bigint },
  position: bigint,
): Promise<boolean> => {
  // This row lock makes a concurrent call of `holdGeneration` wait until this batch is recorded as begun.
  const { rows } = await client.query<{ held: boolean }>(
    `SELECT held_until > now() AS held FROM generations WHERE projection = $1 AND generation = $2 FOR SHARE`,
    [projection, generation],
  );
  if (!rows[0]?.held) return false;
  await client.query(
    `INSERT INTO checkpoints (projection, generation, partition, position, log_id, held_position)
     SELECT $1, $2, $3, 0, '', $4 FROM leases WHERE projection = $1 AND generation = $2 AND partition = $3 AND epoch = $5
     ON CONFLICT (projection, generation, partition) DO UPDATE SET held_position = excluded.held_position`,
    [projection, generation, partition, position, epoch],
  );
  return true;
};
