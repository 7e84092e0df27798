import type { Queryable } from './open-records.ts';

/** How many events the live generations have set aside, and since when; ms since 1970, 0 for none. */
export const summarizeLiveParkedEvents = async (postgres: Queryable): Promise<{ events: number; sinceMs: number }> => {
  const { rows } = await postgres.query<{ events: number; sinceMs: number }>(
    `SELECT count(*)::float8 AS events, coalesce(extract(epoch FROM min(parked_at)) * 1000, 0)::float8 AS "sinceMs"
     FROM parked_events JOIN generations USING (projection, generation)
     WHERE generations.state = 'live' AND parked_events.state = 'parked'`,
  );
  return rows[0]!;
};
