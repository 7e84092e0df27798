import type { Queryable, Records } from './open-records.ts';
import { inTransaction } from './in-transaction.ts';

/** A parked event as operators are told of it. */
export interface ParkedRecord {
  readonly projection: string;
  readonly generation: number;
  readonly position: string;
  readonly stream: string;
  readonly type: string;
  readonly state: 'parked' | 'discarded';
  readonly error: string;
  readonly raw: string;
  readonly attempts: number;
  readonly behind: string | null;
  readonly reason: string | null;
  readonly parkedAt: Date;
  readonly triedAt: Date;
  readonly asked: boolean;
}

export interface ParkedWanted {
  readonly projection?: string | undefined;
  readonly state?: string | undefined;
  readonly limit: number;
  /** The last of the page before. */
  readonly after?: { readonly projection: string; readonly generation: number; readonly position: string } | undefined;
}

/** By projection and generation, in the order of the log. */
export const listParked = async (
  records: Queryable,
  { projection, state, limit, after }: ParkedWanted,
): Promise<readonly ParkedRecord[]> => {
  const { rows } = await records.query<ParkedRecord>(
    `SELECT projection, generation, e.position::text, stream, type, state, error, raw, attempts, behind::text, reason,
       parked_at AS "parkedAt", tried_at AS "triedAt", asked_at IS NOT NULL AS asked
     FROM parked_events e
     WHERE ($1::text IS NULL OR projection = $1) AND ($2::text IS NULL OR state = $2)
     AND ($4::text IS NULL OR (projection, generation, e.position) > ($4, $5::int, $6::bigint))
     ORDER BY projection, generation, e.position LIMIT $3`,
    [projection, state, limit, after?.projection, after?.generation, after?.position],
  );
  return rows;
};

/** How many events each generation has parked, discarded ones left out. */
export const countParked = async (
  records: Queryable,
): Promise<readonly { readonly projection: string; readonly generation: number; readonly parked: number }[]> => {
  const { rows } = await records.query<{ projection: string; generation: number; parked: number }>(
    `SELECT projection, generation, count(*)::int AS parked FROM parked_events WHERE state = 'parked'
     GROUP BY projection, generation`,
  );
  return rows;
};

export interface Asked {
  readonly position: string;
  readonly stream: string;
}

export interface Wish {
  readonly projection: string;
  /** Undefined: all that are parked. */
  readonly positions: readonly string[] | undefined;
  /** Of streams that begin with one of these, every parked event is meant where one is. */
  readonly whole: readonly string[];
  /** At most so many, the first in the log. */
  readonly most: number;
}

/** What was asked for and did not happen by then may be asked for again. */
const patience = '1 minute';

/**
 * Marks parked events of a projection, in every generation that has them, as asked for, and hands them to who writes that to
 * the log: all of them or none. Those that were asked for a moment ago are left out.
 */
export const askParked = (
  records: Records,
  { projection, positions, whole, most }: Wish,
  write: (asked: readonly Asked[]) => Promise<void>,
): Promise<readonly Asked[]> =>
  inTransaction(records, async (client) => {
    const { rows } = await client.query<Asked>(
      `WITH wanted AS (
         SELECT DISTINCT position FROM parked_events
         WHERE projection = $1 AND state = 'parked'
         AND ($2::bigint[] IS NULL OR position = ANY($2) OR stream IN (
           SELECT stream FROM parked_events
           WHERE projection = $1 AND position = ANY($2) AND stream LIKE ANY($4)))
         AND (asked_at IS NULL OR asked_at < now() - interval '${patience}')
         ORDER BY position LIMIT $3),
       marked AS (
         UPDATE parked_events p SET asked_at = now() FROM wanted w
         WHERE p.projection = $1 AND p.state = 'parked' AND p.position = w.position
         RETURNING p.position, p.stream)
       SELECT DISTINCT position::text AS position, stream, position AS at FROM marked ORDER BY at`,
      [projection, positions, most, whole.map((prefix) => `${prefix}%`)],
    );
    const asked = rows.map(({ position, stream }) => ({ position, stream }));
    if (asked.length > 0) await write(asked);
    return asked;
  });
