import type { LeaseKey } from './leases.ts';
import type { Queryable } from './open-records.ts';

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
    `UPDATE generations SET held_until = now() + $3 * interval '1 millisecond', held_by = $4,
       held_at = CASE WHEN held_until > clock_timestamp() THEN held_at END
     WHERE projection = $1 AND generation = $2 AND held_by <= $4`,
    [projection, generation, forMs, by],
  );
  return rowCount === 1;
};

/** Where it stands still; undefined until its writer has seen the hold, and once the hold is over. */
export const readHeldPosition = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
): Promise<bigint | undefined> => {
  const { rows } = await postgres.query<{ held_at: string | null }>(
    `SELECT held_at FROM generations WHERE projection = $1 AND generation = $2 AND held_until > now()`,
    [projection, generation],
  );
  const at = rows[0]?.held_at;
  return at === undefined || at === null ? undefined : BigInt(at);
};

/** Ends a hold, unless somebody of a later epoch has asked for it since. */
export const releaseGeneration = async (
  postgres: Queryable,
  { projection, generation }: LeaseKey,
  by = 0n,
): Promise<void> => {
  await postgres.query(
    `UPDATE generations SET held_until = NULL, held_at = NULL
     WHERE projection = $1 AND generation = $2 AND held_by <= $3`,
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
  await client.query('UPDATE generations SET held_at = $3 WHERE projection = $1 AND generation = $2', [
    projection,
    generation,
    at,
  ]);
  return true;
};
