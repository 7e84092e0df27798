import type { Queryable } from './pool.ts';

/** What is known of an analyst; never the password. */
export interface AnalystRecord {
  readonly name: string;
  /** Null: all networks. */
  readonly networkIds: readonly number[] | null;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** Grows with every change of any analyst. */
  readonly version: number;
}

export interface NewAnalystRecord {
  readonly name: string;
  readonly networkIds: readonly number[] | null;
  readonly passwordSha256: Buffer;
}

/** A login as the engine's users file takes it. */
export interface AnalystLogin {
  readonly name: string;
  readonly passwordSha256Hex: string;
}

const columns = `name, network_ids::float8[] AS "networkIds", created_at AS "createdAt", revoked_at AS "revokedAt",
  version::float8 AS version`;

/** Undefined when the name was given out before, also when it was revoked since. */
export const insertAnalyst = async (
  postgres: Queryable,
  { name, networkIds, passwordSha256 }: NewAnalystRecord,
): Promise<AnalystRecord | undefined> => {
  const { rows } = await postgres.query<AnalystRecord>(
    `INSERT INTO analysts (name, network_ids, password_sha256) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO NOTHING RETURNING ${columns}`,
    [name, networkIds, passwordSha256],
  );
  return rows[0];
};

export const listAnalysts = async (postgres: Queryable): Promise<readonly AnalystRecord[]> =>
  (await postgres.query<AnalystRecord>(`SELECT ${columns} FROM analysts ORDER BY created_at, name`)).rows;

/** The analyst as it is afterwards, or undefined when there is none. Revoking twice keeps the first time. */
export const revokeAnalyst = async (postgres: Queryable, name: string): Promise<AnalystRecord | undefined> => {
  const { rows } = await postgres.query<AnalystRecord>(
    `UPDATE analysts SET revoked_at = coalesce(revoked_at, now()), version = nextval('analyst_changes')
     WHERE name = $1 RETURNING ${columns}`,
    [name],
  );
  return rows[0];
};

/** Those that are not revoked; none where the service never ran on this database. */
export const readAnalystLogins = async (postgres: Queryable): Promise<readonly AnalystLogin[]> => {
  const { rows: there } = await postgres.query<{ there: boolean }>(
    `SELECT to_regclass('analysts') IS NOT NULL AS there`,
  );
  if (!there[0]?.there) return [];
  const { rows } = await postgres.query<AnalystLogin>(
    `SELECT name, encode(password_sha256, 'hex') AS "passwordSha256Hex" FROM analysts WHERE revoked_at IS NULL ORDER BY name`,
  );
  return rows;
};
