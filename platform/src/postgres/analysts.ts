import type { Queryable } from './pool.ts';

export interface AnalystRecord {
  readonly name: string;
  readonly passwordSha256Hex: string;
  readonly networkIds: readonly number[] | null;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly version: number;
}

export interface NewAnalystRecord {
  readonly name: string;
  readonly networkIds: readonly number[] | null;
  readonly passwordSha256: Buffer;
}

const columns = `name, encode(password_sha256, 'hex') AS "passwordSha256Hex", network_ids::float8[] AS "networkIds", created_at AS "createdAt", revoked_at AS "revokedAt",
  version::float8 AS version`;

/** Returns undefined if an analyst with this name exists, including a revoked one. */
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

/** Returns undefined if the analyst does not exist. Revoking an analyst again keeps the original time. */
export const revokeAnalyst = async (postgres: Queryable, name: string): Promise<AnalystRecord | undefined> => {
  const { rows } = await postgres.query<AnalystRecord>(
    `UPDATE analysts SET revoked_at = coalesce(revoked_at, now()), version = nextval('analyst_changes')
     WHERE name = $1 RETURNING ${columns}`,
    [name],
  );
  return rows[0];
};
