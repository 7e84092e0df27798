import { bumpCredentialVersion } from './revocations.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

export interface ClientRecord {
  readonly clientId: string;
  readonly name: string | null;
  /** Ids of the networks that the client may read, in the order of the `network_ids` claim of its tokens. */
  readonly networkIds: readonly number[];
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export interface NewClientRecord {
  readonly clientId: string;
  readonly name?: string | undefined;
  readonly networkIds: readonly number[];
  readonly secretHash: Buffer;
}

const columns = `client_id AS "clientId", name, network_ids::float8[] AS "networkIds", created_at AS "createdAt",
  revoked_at AS "revokedAt"`;

export const insertClient = (postgres: Postgres, newClient: NewClientRecord): Promise<ClientRecord> =>
  inTransaction(postgres, async (client) => {
    const { clientId, name, networkIds, secretHash } = newClient;
    const { rows } = await client.query<ClientRecord>(
      `INSERT INTO clients (client_id, name, network_ids) VALUES ($1, $2, $3) RETURNING ${columns}`,
      [clientId, name ?? null, networkIds],
    );
    await client.query('INSERT INTO client_secrets (hash, client_id) VALUES ($1, $2)', [secretHash, clientId]);
    return rows[0]!;
  });

export const listClients = async (postgres: Queryable): Promise<readonly ClientRecord[]> =>
  (await postgres.query<ClientRecord>(`SELECT ${columns} FROM clients ORDER BY created_at, client_id`)).rows;

export const findClient = async (postgres: Queryable, clientId: string): Promise<ClientRecord | undefined> => {
  const { rows } = await postgres.query<ClientRecord>({
    name: 'find-client',
    text: `SELECT ${columns} FROM clients WHERE client_id = $1`,
    values: [clientId],
  });
  return rows[0];
};

export const readClientSecretHashes = async (postgres: Queryable, clientId: string): Promise<readonly Buffer[]> => {
  const { rows } = await postgres.query<{ hash: Buffer }>({
    name: 'client-secret-hashes',
    text: 'SELECT hash FROM client_secrets WHERE client_id = $1 AND (expires_at IS NULL OR expires_at > now())',
    values: [clientId],
  });
  return rows.map(({ hash }) => hash);
};

/** The previous secret stays valid for `overlapSeconds`. Returns undefined if the client does not exist or is revoked. */
export const addClientSecret = (
  postgres: Postgres,
  clientId: string,
  secretHash: Buffer,
  overlapSeconds: number,
): Promise<ClientRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { rows } = await client.query<ClientRecord>(
      `SELECT ${columns} FROM clients WHERE client_id = $1 AND revoked_at IS NULL FOR UPDATE`,
      [clientId],
    );
    if (!rows[0]) return undefined;
    await client.query('DELETE FROM client_secrets WHERE client_id = $1 AND expires_at IS NOT NULL', [clientId]);
    await client.query(`UPDATE client_secrets SET expires_at = now() + $2 * interval '1 second' WHERE client_id = $1`, [
      clientId,
      overlapSeconds,
    ]);
    await client.query('INSERT INTO client_secrets (hash, client_id) VALUES ($1, $2)', [secretHash, clientId]);
    return rows[0];
  });

/** Returns undefined if the client does not exist. Its tokens are rejected within 5 s. */
export const revokeClient = (postgres: Postgres, clientId: string): Promise<ClientRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { rows } = await client.query<ClientRecord>(
      `UPDATE clients SET revoked_at = coalesce(revoked_at, now()) WHERE client_id = $1 RETURNING ${columns}`,
      [clientId],
    );
    await bumpCredentialVersion(client);
    return rows[0];
  });
