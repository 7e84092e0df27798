import { timeZoneVersion } from '@popsvc/contracts/time-zones';
import type { GenerationKey, LeaseKey } from './leases.ts';
import type { LostEvents } from './log-repairs.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';
import type { LostPart, TableDamage } from './table-parts.ts';

/** `building`: a replay is building the generation. `kept`: the generation was live before and is available for a rollback. */
export type GenerationState = 'building' | 'live' | 'kept' | 'dropping';

export interface GenerationRecord extends GenerationKey {
  readonly state: GenerationState;
  readonly version: number;
  /** Version of the time zone data when the generation was created; empty if a former release created it. */
  readonly timeZones: string;
  /** Number of partitions of projections that are split by network. Other projections have one partition. */
  readonly partitions: number;
  readonly paused: boolean;
  readonly createdAt: Date;
  readonly switchedAt: Date | null;
  readonly dropAfter: Date | null;
  /** Tables that were created after the generation was built. They lack the rows of earlier events. */
  readonly incompleteTables: readonly string[];
  /** Readers refuse damaged tables, and the generation is not written to until a replay has replaced it. */
  readonly damage: readonly TableDamage[];
  /** Events that the generation contains and that a repair has removed from the log. A replay would lose their rows. */
  readonly lostEvents: readonly LostEvents[];
  /** Lost parts whose rows can be derived again. Until that is done, readers refuse the time ranges of these parts. */
  readonly healing: readonly LostPart[];
}

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

/** Creates generation 1 of a projection, which is live at once. Does nothing if the projection exists. */
export const registerProjection = async (postgres: Queryable, projection: string, version: number): Promise<void> => {
  await postgres.query(
    `WITH model AS (
       INSERT INTO read_models (projection, live_generation) VALUES ($1, 1) ON CONFLICT DO NOTHING RETURNING 1)
     INSERT INTO generations (projection, generation, state, version, time_zones, switched_at)
     SELECT $1, 1, 'live', $2, $3, now() FROM model`,
    [projection, version, timeZoneVersion],
  );
};

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

/** Returns false if the projection does not exist. */
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
  readonly version: number;
}

/** Marks kept generations as `dropping` after `drop_after`, unless a rollback to them is unfinished. Returns all to drop. */
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

export const abandonGeneration = async (
  postgres: Queryable,
  { projection, generation }: GenerationKey,
): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET state = 'dropping' WHERE projection = $1 AND generation = $2 AND state = 'building'`,
    [projection, generation],
  );
};

/** Call this after the ClickHouse tables of the generation were dropped. */
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
 * The writers of a generation on hold begin no batch. Returns false if a process with a later lease epoch put the generation on
 * hold, or if the generation does not exist.
 *
 * The expiry is compared with clock_timestamp(), because the hold may expire while the statement waits for the row lock.
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

/** By partition. A partition is absent until its writer has acknowledged the hold. */
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

/** Does nothing if a process with a later lease epoch has put the generation on hold. */
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

/** Returns whether a generation is on hold. The writer of a partition calls this in the transaction that begins a batch. */
export const acknowledgeHold = async (
  client: Queryable,
  { projection, generation, partition = 0, epoch }: LeaseKey & { readonly epoch: bigint },
  position: bigint,
): Promise<boolean> => {
  // This row lock makes a concurrent `holdGeneration` wait until this batch is recorded as begun.
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
