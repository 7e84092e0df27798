import type { Queryable } from './open-records.ts';

/** A parked event as operators are told of it. */
export interface ParkedEventRecord {
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
  readonly isDecisionPending: boolean;
}

export interface ParkedEventsQuery {
  readonly projection?: string | undefined;
  readonly state?: string | undefined;
  readonly limit: number;
  /** The last of the page before. */
  readonly after?: { readonly projection: string; readonly generation: number; readonly position: string } | undefined;
}

/** By projection and generation, in the order of the log. */
export const listParkedEvents = async (
  postgres: Queryable,
  { projection, state, limit, after }: ParkedEventsQuery,
): Promise<readonly ParkedEventRecord[]> => {
  const { rows } = await postgres.query<ParkedEventRecord>(
    `SELECT projection, generation, e.position::text, stream, type, state, error, raw, attempts, behind::text, reason,
       parked_at AS "parkedAt", tried_at AS "triedAt", asked_at IS NOT NULL AS "isDecisionPending"
     FROM parked_events e
     WHERE ($1::text IS NULL OR projection = $1) AND ($2::text IS NULL OR state = $2)
     AND ($4::text IS NULL OR (projection, generation, e.position) > ($4, $5::int, $6::bigint))
     ORDER BY projection, generation, e.position LIMIT $3`,
    [projection, state, limit, after?.projection, after?.generation, after?.position],
  );
  return rows;
};

/** How many events each generation has parked, discarded ones left out. */
export const countParkedEvents = async (
  postgres: Queryable,
): Promise<readonly { readonly projection: string; readonly generation: number; readonly parked: number }[]> => {
  const { rows } = await postgres.query<{ projection: string; generation: number; parked: number }>(
    `SELECT projection, generation, count(*)::int AS parked FROM parked_events WHERE state = 'parked'
     GROUP BY projection, generation`,
  );
  return rows;
};
