import type { Queryable } from './open-records.ts';

/** Tells every process that remembers credentials to ask again; in the same transaction as what changed. */
export const bumpCredentialVersion = async (postgres: Queryable): Promise<void> => {
  await postgres.query('UPDATE credential_changes SET version = version + 1');
};

/** Grows with every revocation. */
export const readCredentialVersion = async (postgres: Queryable): Promise<string> => {
  const { rows } = await postgres.query<{ version: string }>({
    name: 'credential-changes',
    text: 'SELECT version::text FROM credential_changes',
  });
  return rows[0]?.version ?? '';
};
