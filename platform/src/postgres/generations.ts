import type { LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/**
 * `building`: a replay builds it while another generation is live. `kept`: it was live before and is available for a rollback.
 * `dropping`: its tables are being dropped.
 */
export type GenerationState = 'building' | 'live' | 'kept' | 'dropping';

/** A generation: a set of tables of one projection. */
export interface GenerationRecord extends LeaseKey {
  readonly state: GenerationState;
  /** Version of the projection code that built it. */
  readonly version: number;
  /** Whether an operator paused the projection. */
  readonly paused: boolean;
  /** When it last became live. */
  readonly switchedAt: Date | null;
  /** When a kept generation may be dropped. */
  readonly dropAfter: Date | null;
  /** Tables created after the generation was built: they do not contain the rows of earlier events. */
  readonly incompleteTables: readonly string[];
}

/** Reads all generations, ordered by projection, the newest first. */
export const readGenerations = async (postgres: Queryable): Promise<readonly GenerationRecord[]> => {
  const { rows } = await postgres.query<GenerationRecord>(
    `SELECT g.projection, g.generation, g.state, g.version, m.paused_at IS NOT NULL AS paused,
       g.switched_at AS "switchedAt", g.drop_after AS "dropAfter", g.incomplete_tables AS "incompleteTables"
     FROM generations g JOIN read_models m USING (projection) ORDER BY g.projection, g.generation DESC`,
  );
  return rows;
};

/** Creates generation 1 of a projection, live and of the given code version, if the projection does not exist. */
export const registerProjection = async (postgres: Queryable, projection: string, version: number): Promise<void> => {
  await postgres.query(
    `WITH model AS (
       INSERT INTO read_models (projection, live_generation) VALUES ($1, 1) ON CONFLICT DO NOTHING RETURNING 1)
     INSERT INTO generations (projection, generation, state, version, switched_at)
     SELECT $1, 1, 'live', $2, now() FROM model`,
    [projection, version],
  );
};

/** Stores which tables of a generation were created after it was built. */
export const recordIncompleteTables = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  incompleteTables: readonly string[],
): Promise<void> => {
  await postgres.query('UPDATE generations SET incomplete_tables = $3 WHERE projection = $1 AND generation = $2', [
    projection,
    generation,
    incompleteTables,
  ]);
};

/** Pauses or resumes a projection; false if it does not exist. */
export const pauseProjection = async (postgres: Queryable, projection: string, paused: boolean): Promise<boolean> => {
  if (!paused)
    // Resuming a projection that stopped because it parked too many events allows it to park events again.
    await postgres.query(
      'UPDATE generations SET parking_stopped_at = NULL, parking_from = now() WHERE projection = $1 AND parking_stopped_at IS NOT NULL',
      [projection],
    );
  const { rowCount } = await postgres.query(
    `UPDATE read_models SET paused_at = CASE WHEN $2 THEN coalesce(paused_at, now()) END WHERE projection = $1`,
    [projection, paused],
  );
  return rowCount === 1;
};

export interface GenerationToDrop extends LeaseKey {
  /** Version of the projection code that built it. */
  readonly version: number;
}

/** Marks expired kept generations as `dropping` and returns all generations to drop. Never marks the live generation. */
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

/** Marks an unfinished generation as `dropping`, because its replay was abandoned. */
export const abandonGeneration = async (postgres: Queryable, { projection, generation }: LeaseKey): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET state = 'dropping' WHERE projection = $1 AND generation = $2 AND state = 'building'`,
    [projection, generation],
  );
};

/** Deletes the rows of a generation whose tables were dropped. */
export const deleteGeneration = (postgres: Postgres, { projection, generation }: LeaseKey): Promise<void> =>
  inTransaction(postgres, async (client) => {
    const { rowCount } = await client.query(
      `DELETE FROM generations WHERE projection = $1 AND generation = $2 AND state = 'dropping'`,
      [projection, generation],
    );
    if (rowCount === 0) return;
    for (const table of ['checkpoints', 'projection_status', 'parked_events'])
      await client.query(`DELETE FROM ${table} WHERE projection = $1 AND generation = $2`, [projection, generation]);
  });

/**
 * Puts a generation on hold: its writer begins no batch until the hold ends. A further call prolongs the hold. The held position of
 * an expired hold is cleared. The check uses clock_timestamp(), not the start of the statement, because the writer may have begun a
 * batch while the statement waited for the row lock.
 *
 * `byEpoch`: the lease epoch of the caller. Returns false if a process with a later epoch has put the generation on hold.
 */
export const holdGeneration = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  forMs: number,
  byEpoch = 0n,
): Promise<boolean> => {
  const { rowCount } = await postgres.query(
    `UPDATE generations SET held_until = now() + $3 * interval '1 millisecond', held_by_epoch = $4,
       held_position = CASE WHEN held_until > clock_timestamp() THEN held_position END
     WHERE projection = $1 AND generation = $2 AND held_by_epoch <= $4`,
    [projection, generation, forMs, byEpoch],
  );
  return rowCount === 1;
};

/** Returns the position at which the writer paused; undefined before it has acknowledged the hold, and after the hold ended. */
export const readHeldPosition = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<bigint | undefined> => {
  const { rows } = await postgres.query<{ held_position: string | null }>(
    `SELECT held_position FROM generations WHERE projection = $1 AND generation = $2 AND held_until > now()`,
    [projection, generation],
  );
  const position = rows[0]?.held_position;
  return position === undefined || position === null ? undefined : BigInt(position);
};

/** Ends a hold, unless a process with a later epoch has prolonged it. */
export const releaseGeneration = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  byEpoch = 0n,
): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET held_until = NULL, held_position = NULL
     WHERE projection = $1 AND generation = $2 AND held_by_epoch <= $3`,
    [projection, generation, byEpoch],
  );
};

/**
 * Called by the writer in the transaction that begins a batch. If the generation is on hold, stores `position` as the held position
 * and returns true.
 */
export const acknowledgeHold = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  position: bigint,
): Promise<boolean> => {
  // Locks the row, so that a hold requested meanwhile waits until this batch is recorded as begun.
  const { rows } = await client.query<{ held: boolean }>(
    `SELECT held_until > now() AS held FROM generations WHERE projection = $1 AND generation = $2 FOR SHARE`,
    [projection, generation],
  );
  if (!rows[0]?.held) return false;
  await client.query('UPDATE generations SET held_position = $3 WHERE projection = $1 AND generation = $2', [
    projection,
    generation,
    position,
  ]);
  return true;
};
