import type { Queryable } from './pool.ts';

/** Makes every process clear its cache of credentials. Call this in the transaction that changes the credentials. */
export const bumpCredentialVersion = async (postgres: Queryable): Promise<void> => {
  await postgres.query('UPDATE credential_changes SET version = version + 1');
};

export const readCredentialVersion = async (postgres: Queryable): Promise<string> => {
  const { rows } = await postgres.query<{ version: string }>({
    name: 'credential-changes',
    text: 'SELECT version::text FROM credential_changes',
  });
  return rows[0]?.version ?? '';
};

export const endSession = async (postgres: Queryable, id: string, untilMs: number): Promise<void> => {
  await postgres.query(
    `WITH swept AS (DELETE FROM ended_sessions WHERE until < now())
     INSERT INTO ended_sessions (id, until) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`,
    [id, new Date(untilMs)],
  );
};

export const readEndedSessionIds = async (postgres: Queryable): Promise<readonly string[]> =>
  (await postgres.query<{ id: string }>('SELECT id FROM ended_sessions WHERE until > now()')).rows.map(({ id }) => id);
