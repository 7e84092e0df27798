import { bumpCredentialVersion } from './revocations.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

/** A JSON Web Key, as PostgreSQL keeps it. */
export type StoredJwk = Readonly<Record<string, unknown>>;

export interface SigningKeyRecord {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicJwk: StoredJwk;
  readonly privateJwk: StoredJwk;
}

/** Any number, as long as nobody else in this database takes it. */
const lock = '123623930295908';

/** The key that signs, and since when, in seconds; undefined before the first. */
export const readCurrentSigningKey = async (
  postgres: Queryable,
): Promise<(SigningKeyRecord & { readonly ageSeconds: number }) | undefined> => {
  const { rows } = await postgres.query<SigningKeyRecord & { readonly ageSeconds: number }>(
    `SELECT kid, algorithm, public_jwk AS "publicJwk", private_jwk AS "privateJwk",
       extract(epoch FROM now() - created_at)::float8 AS "ageSeconds"
     FROM signing_keys WHERE public_until IS NULL`,
  );
  return rows[0];
};

/** Public keys of all tokens that may still be in use, the newest first. */
export const readPublicSigningKeys = async (
  postgres: Queryable,
): Promise<readonly Omit<SigningKeyRecord, 'privateJwk'>[]> => {
  const { rows } = await postgres.query<Omit<SigningKeyRecord, 'privateJwk'>>(
    `SELECT kid, algorithm, public_jwk AS "publicJwk" FROM signing_keys
     WHERE public_until IS NULL OR public_until > now() ORDER BY created_at DESC`,
  );
  return rows;
};

/** A key as operators see it. */
export interface SigningKeyState {
  readonly kid: string;
  readonly algorithm: string;
  readonly createdAt: Date;
  /** Null: the key that signs. Else when its last token has expired. */
  readonly publicUntil: Date | null;
}

/** The key that signs and those whose tokens may still be in use, the newest first. */
export const listSigningKeys = async (postgres: Queryable): Promise<readonly SigningKeyState[]> => {
  const { rows } = await postgres.query<SigningKeyState>(
    `SELECT kid, algorithm, created_at AS "createdAt", public_until AS "publicUntil" FROM signing_keys
     WHERE public_until IS NULL OR public_until > now() ORDER BY created_at DESC`,
  );
  return rows;
};

/**
 * Puts a new key in the place of the current one, if that is still the key the caller saw (undefined: none); several processes
 * may try at once and one succeeds. The old key's public half stays for so many seconds, its private half goes at once. With 0
 * seconds no earlier key is good any more, and every process is told.
 */
export const replaceSigningKey = (
  postgres: Postgres,
  { seen, next, keepSeconds }: { seen: string | undefined; next: SigningKeyRecord; keepSeconds: number },
): Promise<boolean> =>
  inTransaction(postgres, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
    const current = await readCurrentSigningKey(client);
    if (current?.kid !== seen) return false;
    await client.query('DELETE FROM signing_keys WHERE public_until < now()');
    await client.query(
      `UPDATE signing_keys SET private_jwk = NULL, public_until = now() + $1 * interval '1 second'
       WHERE public_until IS NULL`,
      [keepSeconds],
    );
    if (keepSeconds === 0) {
      await client.query('UPDATE signing_keys SET public_until = now() WHERE public_until > now()');
      await bumpCredentialVersion(client);
    }
    await client.query('INSERT INTO signing_keys (kid, algorithm, public_jwk, private_jwk) VALUES ($1, $2, $3, $4)', [
      next.kid,
      next.algorithm,
      next.publicJwk,
      next.privateJwk,
    ]);
    return true;
  });
