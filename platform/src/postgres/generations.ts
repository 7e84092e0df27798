import type { LeaseKey } from './leases.ts';
import type { Queryable } from './open-records.ts';

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
  /** Tables that are newer than it: of the time before they were made they hold nothing. */
  readonly missingTables: readonly string[];
}

/** Every generation there is, by projection, the newest first. */
export const readGenerations = async (postgres: Queryable): Promise<readonly GenerationRecord[]> => {
  const { rows } = await postgres.query<GenerationRecord>(
    `SELECT g.projection, g.generation, g.state, g.version, m.paused_at IS NOT NULL AS paused,
       g.switched_at AS "switchedAt", g.drop_after AS "dropAfter", g.lacks AS "missingTables"
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

/** Says which tables of a generation are newer than it. */
export const recordMissingTables = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  lacks: readonly string[],
): Promise<void> => {
  await postgres.query('UPDATE generations SET lacks = $3 WHERE projection = $1 AND generation = $2', [
    projection,
    generation,
    lacks,
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
