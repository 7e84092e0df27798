import { bumpCredentialVersion } from './revocations.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';

export interface ApiKeyRecord {
  readonly id: string;
  readonly vendor: string;
  readonly networkId: number;
  readonly name: string | null;
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
}

export interface NewApiKeyRecord {
  readonly vendor: string;
  readonly networkId: number;
  readonly name?: string | undefined;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly expiresAt?: Date | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly eventsPerSecond?: number | undefined;
}

const defaultRates = { requestsPerSecond: 2_000, eventsPerSecond: 100_000 };

const columns = `id, vendor, network_id::float8 AS "networkId", name, prefix, created_at AS "createdAt",
  expires_at AS "expiresAt", revoked_at AS "revokedAt",
  coalesce(requests_per_second, ${defaultRates.requestsPerSecond}) AS "requestsPerSecond",
  coalesce(events_per_second, ${defaultRates.eventsPerSecond}) AS "eventsPerSecond"`;

export const insertApiKey = async (postgres: Queryable, key: NewApiKeyRecord): Promise<ApiKeyRecord> => {
  const { rows } = await postgres.query<ApiKeyRecord>(
    `INSERT INTO api_keys (vendor, network_id, name, hash, prefix, expires_at, requests_per_second, events_per_second)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${columns}`,
    [
      key.vendor,
      key.networkId,
      key.name ?? null,
      key.hash,
      key.prefix,
      key.expiresAt ?? null,
      key.requestsPerSecond ?? null,
      key.eventsPerSecond ?? null,
    ],
  );
  return rows[0]!;
};

export const listApiKeys = async (postgres: Queryable): Promise<readonly ApiKeyRecord[]> =>
  (await postgres.query<ApiKeyRecord>(`SELECT ${columns} FROM api_keys ORDER BY created_at, id`)).rows;

export const findApiKey = async (
  postgres: Queryable,
  hash: Buffer,
): Promise<(ApiKeyRecord & { readonly hash: Buffer }) | undefined> => {
  const { rows } = await postgres.query<ApiKeyRecord & { readonly hash: Buffer }>({
    name: 'find-api-key',
    text: `SELECT ${columns}, hash FROM api_keys WHERE hash = $1`,
    values: [hash],
  });
  return rows[0];
};

export interface ApiKeyRates {
  /** Undefined leaves the rate unchanged; null resets it to the default rate. */
  readonly requestsPerSecond?: number | null | undefined;
  readonly eventsPerSecond?: number | null | undefined;
}

/** Returns undefined if the key does not exist. Other processes apply the change within 5 s. */
export const setApiKeyRates = (postgres: Postgres, id: string, rates: ApiKeyRates): Promise<ApiKeyRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { requestsPerSecond: requests, eventsPerSecond: events } = rates;
    const { rows } = await client.query<ApiKeyRecord>(
      `UPDATE api_keys SET requests_per_second = CASE WHEN $2 THEN $3::int ELSE requests_per_second END,
         events_per_second = CASE WHEN $4 THEN $5::int ELSE events_per_second END
       WHERE id::text = $1 RETURNING ${columns}`,
      [id, requests !== undefined, requests ?? null, events !== undefined, events ?? null],
    );
    await bumpCredentialVersion(client);
    return rows[0];
  });

/** Returns undefined if the key does not exist. Revoking a key again keeps the original time. */
export const revokeApiKey = (postgres: Postgres, id: string): Promise<ApiKeyRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { rows } = await client.query<ApiKeyRecord>(
      `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id::text = $1 RETURNING ${columns}`,
      [id],
    );
    await bumpCredentialVersion(client);
    return rows[0];
  });
