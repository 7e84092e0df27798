import type { LeaseKey } from './leases.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/**
 * `building`: beside the live one, nobody reads it yet; `kept`: readers were there before, and may go back; `dropping`: it is no
 * longer of use, and its tables go.
 */
export type GenerationState = 'building' | 'live' | 'kept' | 'dropping';

/** A set of tables of one projection. */
export interface GenerationRecord extends LeaseKey {
  readonly state: GenerationState;
  /** Of the projection whose code built it. */
  readonly version: number;
  /** Whether operators have the projection stand still. */
  readonly paused: boolean;
  /** When readers were pointed at it last. */
  readonly switchedAt: Date | null;
  /** When one that is kept may be dropped. */
  readonly dropAfter: Date | null;
  /** Tables created after the generation was built: they lack the rows of earlier events. */
  readonly incompleteTables: readonly string[];
}

/** Every generation there is, by projection, the newest first. */
export const readGenerations = async (postgres: Queryable): Promise<readonly GenerationRecord[]> => {
  const { rows } = await postgres.query<GenerationRecord>(
    `SELECT g.projection, g.generation, g.state, g.version, m.paused_at IS NOT NULL AS paused,
       g.switched_at AS "switchedAt", g.drop_after AS "dropAfter", g.incomplete_tables AS "incompleteTables"
     FROM generations g JOIN read_models m USING (projection) ORDER BY g.projection, g.generation DESC`,
  );
  return rows;
};

/** The first generation of a projection that this database does not know yet, built by the code at hand. */
export const registerProjection = async (postgres: Queryable, projection: string, version: number): Promise<void> => {
  await postgres.query(
    `WITH model AS (
       INSERT INTO read_models (projection, live_generation) VALUES ($1, 1) ON CONFLICT DO NOTHING RETURNING 1)
     INSERT INTO generations (projection, generation, state, version, switched_at)
     SELECT $1, 1, 'live', $2, now() FROM model`,
    [projection, version],
  );
};

/** Records which tables of a generation are newer than it. */
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

/** Has a projection stand still, or go on; false when there is none of the name. */
export const pauseProjection = async (postgres: Queryable, projection: string, paused: boolean): Promise<boolean> => {
  if (!paused)
    // Who resumes a projection that parked too much at once wants to see what it makes of the rest.
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
  /** Of the projection whose code built it. */
  readonly version: number;
}

/** Marks what is kept past its time, and says what is to be dropped. The live one never is. */
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

/** Of one that was being built: nobody goes on with it. */
export const abandonGeneration = async (postgres: Queryable, { projection, generation }: LeaseKey): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET state = 'dropping' WHERE projection = $1 AND generation = $2 AND state = 'building'`,
    [projection, generation],
  );
};

/** Forgets a generation whose tables are gone. */
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
 * Asks whoever writes a generation to begin no batch for a while; asking again prolongs it. Where it stood is forgotten with a hold
 * that ended, by the clock of the moment the row is looked at: its writer may have begun a batch since the statement came in.
 * `by`: the epoch of who asks; false once somebody of a later one has.
 */
export const holdGeneration = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  forMs: number,
  by = 0n,
): Promise<boolean> => {
  const { rowCount } = await postgres.query(
    `UPDATE generations SET held_until = now() + $3 * interval '1 millisecond', held_by_epoch = $4,
       held_position = CASE WHEN held_until > clock_timestamp() THEN held_position END
     WHERE projection = $1 AND generation = $2 AND held_by_epoch <= $4`,
    [projection, generation, forMs, by],
  );
  return rowCount === 1;
};

/** Where it stands still; undefined until its writer has seen the hold, and once the hold is over. */
export const readHeldPosition = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<bigint | undefined> => {
  const { rows } = await postgres.query<{ held_position: string | null }>(
    `SELECT held_position FROM generations WHERE projection = $1 AND generation = $2 AND held_until > now()`,
    [projection, generation],
  );
  const at = rows[0]?.held_position;
  return at === undefined || at === null ? undefined : BigInt(at);
};

/** Ends a hold, unless somebody of a later epoch has asked for it since. */
export const releaseGeneration = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  by = 0n,
): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET held_until = NULL, held_position = NULL
     WHERE projection = $1 AND generation = $2 AND held_by_epoch <= $3`,
    [projection, generation, by],
  );
};

/** For who writes it, in the transaction that begins a batch: true when it is held, and told where it stands. */
export const acknowledgeHold = async (
  client: Queryable,
  { projection, generation }: LeaseKey,
  at: bigint,
): Promise<boolean> => {
  // The row is locked: who asks for a hold a moment later waits until this batch is recorded as begun.
  const { rows } = await client.query<{ held: boolean }>(
    `SELECT held_until > now() AS held FROM generations WHERE projection = $1 AND generation = $2 FOR SHARE`,
    [projection, generation],
  );
  if (!rows[0]?.held) return false;
  await client.query('UPDATE generations SET held_position = $3 WHERE projection = $1 AND generation = $2', [
    projection,
    generation,
    at,
  ]);
  return true;
};
