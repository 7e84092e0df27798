import { lockKeys } from './locks.ts';
import { bumpCredentialVersion } from './revocations.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

export type StoredJwk = Readonly<Record<string, unknown>>;

export interface SigningKeyRecord {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicJwk: StoredJwk;
  readonly sealedPrivateJwk: string;
}

/** Returns undefined if there is no current key. */
export const readCurrentSigningKey = async (
  postgres: Queryable,
): Promise<(SigningKeyRecord & { readonly ageSeconds: number }) | undefined> => {
  const { rows } = await postgres.query<SigningKeyRecord & { readonly ageSeconds: number }>(
    `SELECT kid, algorithm, public_jwk AS "publicJwk", sealed_private_jwk AS "sealedPrivateJwk",
       extract(epoch FROM now() - created_at)::float8 AS "ageSeconds"
     FROM signing_keys WHERE public_until IS NULL`,
  );
  return rows[0];
};

export const readPublicSigningKeys = async (
  postgres: Queryable,
): Promise<readonly Omit<SigningKeyRecord, 'sealedPrivateJwk'>[]> => {
  const { rows } = await postgres.query<Omit<SigningKeyRecord, 'sealedPrivateJwk'>>(
    `SELECT kid, algorithm, public_jwk AS "publicJwk" FROM signing_keys
     WHERE public_until IS NULL OR public_until > now() ORDER BY created_at DESC`,
  );
  return rows;
};

export interface SigningKeyState {
  readonly kid: string;
  readonly algorithm: string;
  readonly createdAt: Date;
  /** Time until which tokens signed with this key are accepted; null for the current signing key. */
  readonly publicUntil: Date | null;
}

export const listSigningKeys = async (postgres: Queryable): Promise<readonly SigningKeyState[]> => {
  const { rows } = await postgres.query<SigningKeyState>(
    `SELECT kid, algorithm, created_at AS "createdAt", public_until AS "publicUntil" FROM signing_keys
     WHERE public_until IS NULL OR public_until > now() ORDER BY created_at DESC`,
  );
  return rows;
};

/** Returns false if the current key is not `seen`. With `keepSeconds` 0, all earlier keys become invalid. */
export const replaceSigningKey = (
  postgres: Postgres,
  { seen, next, keepSeconds }: { seen: string | undefined; next: SigningKeyRecord; keepSeconds: number },
): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(${lockKeys.signingKeys})`);
    const current = await readCurrentSigningKey(client);
    if (current?.kid !== seen) return false;
    await client.query('DELETE FROM signing_keys WHERE public_until < now()');
    await client.query(
      `UPDATE signing_keys SET sealed_private_jwk = NULL, public_until = now() + $1 * interval '1 second'
       WHERE public_until IS NULL`,
      [keepSeconds],
    );
    if (keepSeconds === 0) {
      await client.query('UPDATE signing_keys SET public_until = now() WHERE public_until > now()');
      await bumpCredentialVersion(client);
    }
    await client.query(
      'INSERT INTO signing_keys (kid, algorithm, public_jwk, sealed_private_jwk) VALUES ($1, $2, $3, $4)',
      [next.kid, next.algorithm, next.publicJwk, next.sealedPrivateJwk],
    );
    return true;
  });
