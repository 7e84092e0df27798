import type { Queryable } from './open-records.ts';

/** Ends a session of an operator before its time, and forgets those that have ended by themselves since. */
export const endSession = async (postgres: Queryable, id: string, untilMs: number): Promise<void> => {
  await postgres.query(
    `WITH swept AS (DELETE FROM ended_sessions WHERE until < now())
     INSERT INTO ended_sessions (id, until) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`,
    [id, new Date(untilMs)],
  );
};

/** Those that would otherwise last. */
export const readEndedSessionIds = async (postgres: Queryable): Promise<readonly string[]> =>
  (await postgres.query<{ id: string }>('SELECT id FROM ended_sessions WHERE until > now()')).rows.map(({ id }) => id);
