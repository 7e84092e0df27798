import type { Queryable } from './pool.ts';

/**
 * Records a credential change, which makes every process clear its credential cache. Call this in the transaction that makes the
 * change.
 */
export const bumpCredentialVersion = async (postgres: Queryable): Promise<void> => {
  await postgres.query('UPDATE credential_changes SET version = version + 1');
};

/** Reads the counter that increases with every credential change. */
export const readCredentialVersion = async (postgres: Queryable): Promise<string> => {
  const { rows } = await postgres.query<{ version: string }>({
    name: 'credential-changes',
    text: 'SELECT version::text FROM credential_changes',
  });
  return rows[0]?.version ?? '';
};

/** Ends an operator's session before its expiry. Also deletes the records of ended sessions whose expiry has passed. */
export const endSession = async (postgres: Queryable, id: string, untilMs: number): Promise<void> => {
  await postgres.query(
    `WITH swept AS (DELETE FROM ended_sessions WHERE until < now())
     INSERT INTO ended_sessions (id, until) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`,
    [id, new Date(untilMs)],
  );
};

/** Reads the ids of the sessions that were ended before they expired and would otherwise still be valid. */
export const readEndedSessionIds = async (postgres: Queryable): Promise<readonly string[]> =>
  (await postgres.query<{ id: string }>('SELECT id FROM ended_sessions WHERE until > now()')).rows.map(({ id }) => id);
