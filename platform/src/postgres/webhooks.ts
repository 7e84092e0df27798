import { randomUUID } from 'node:crypto';
import {
  deliveriesKeptDays,
  type DeliveryAttempt,
  type DeliveryState,
  type NoticeType,
  type TestNotice,
} from '@popsvc/contracts/webhooks';
import { lockKeys } from './locks.ts';
import { inTransaction, type Postgres, type Queryable } from './pool.ts';
import type { SecretSealer } from './sealed-secrets.ts';

export interface WebhookRecord {
  readonly id: string;
  readonly networkId: number;
  readonly vendor: string | null;
  readonly clientId: string | null;
  readonly url: string;
  readonly types: readonly NoticeType[];
  readonly description: string | null;
  readonly createdAt: Date;
  readonly pending: number;
  readonly dead: number;
}

export interface NewWebhookRecord {
  readonly networkId: number;
  readonly vendor?: string | undefined;
  readonly clientId?: string | undefined;
  readonly url: string;
  readonly types: readonly NoticeType[];
  readonly description?: string | undefined;
  readonly secret: string;
}

/** An empty filter selects all subscriptions. Functions ignore subscriptions that the filter does not select as if they did not exist. */
export interface WebhookFilter {
  readonly networks?: readonly number[] | undefined;
  readonly vendor?: string | undefined;
  readonly clientId?: string | undefined;
}

const matches = (first: number) =>
  `($${first}::bigint[] IS NULL OR s.network_id = ANY($${first}))
   AND ($${first + 1}::text IS NULL OR s.vendor = $${first + 1})
   AND ($${first + 2}::text IS NULL OR s.client_id = $${first + 2})`;

const valuesOf = ({ networks, vendor, clientId }: WebhookFilter) => [
  networks ?? null,
  vendor ?? null,
  clientId ?? null,
];

const count = (state: DeliveryState) =>
  `(SELECT count(*)::int FROM webhook_deliveries d WHERE d.subscription_id = s.id AND d.state = '${state}')`;

const columns = `s.id, s.network_id::float8 AS "networkId", s.vendor, s.client_id AS "clientId", s.url, s.types, s.description,
  s.created_at AS "createdAt", ${count('pending')} AS pending, ${count('dead')} AS dead`;

export const listWebhooks = async (postgres: Queryable, filter: WebhookFilter): Promise<readonly WebhookRecord[]> =>
  (
    await postgres.query<WebhookRecord>(
      `SELECT ${columns} FROM webhook_subscriptions s WHERE ${matches(1)} ORDER BY s.created_at, s.id`,
      valuesOf(filter),
    )
  ).rows;

export type WebhookRejection = 'exists' | 'too-many';

export interface SealedWebhookSecret {
  readonly id: string;
  readonly sealed: string;
}

const rowOf = (id: string) => ({ table: 'webhook_secrets', id });

/** Throws a SealedSecretError if the secret cannot be decrypted. */
export const openWebhookSecret = (sealer: SecretSealer, { id, sealed }: SealedWebhookSecret): string =>
  sealer.open(rowOf(id), sealed);

export const readWebhookSecrets = async (
  postgres: Queryable,
): Promise<readonly (SealedWebhookSecret & { readonly webhook: string })[]> =>
  (
    await postgres.query<SealedWebhookSecret & { readonly webhook: string }>(
      `SELECT id, sealed_secret AS sealed, subscription_id AS webhook FROM webhook_secrets
       WHERE expires_at IS NULL OR expires_at > now() ORDER BY created_at`,
    )
  ).rows;

interface NewWebhookSecret {
  readonly webhook: string;
  readonly secret: string;
  readonly createdAt?: Date;
  readonly expiresAt?: Date | null;
}

const insertSecret = async (
  postgres: Queryable,
  sealer: SecretSealer,
  { webhook, secret, createdAt, expiresAt }: NewWebhookSecret,
): Promise<void> => {
  const id = randomUUID();
  await postgres.query(
    `INSERT INTO webhook_secrets (id, subscription_id, sealed_secret, created_at, expires_at)
     VALUES ($1, $2, $3, coalesce($4, now()), $5)`,
    [id, webhook, sealer.seal(rowOf(id), secret), createdAt ?? null, expiresAt ?? null],
  );
};

/** Encrypts the secrets that earlier releases stored in clear, and drops their table. Several processes may call this at once. */
export const sealSecretsInClear = (postgres: Postgres, sealer: SecretSealer): Promise<void> =>
  inTransaction(postgres, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(${lockKeys.webhookSecrets})`);
    const { rows: tables } = await client.query("SELECT FROM pg_tables WHERE tablename = 'webhook_secrets_in_clear'");
    if (tables.length === 0) return;
    const { rows } = await client.query<Required<NewWebhookSecret>>(
      `SELECT subscription_id AS webhook, secret, created_at AS "createdAt", expires_at AS "expiresAt"
       FROM webhook_secrets_in_clear`,
    );
    for (const row of rows) await insertSecret(client, sealer, row);
    await client.query('DROP TABLE webhook_secrets_in_clear');
  });

export const insertWebhook = (
  postgres: Postgres,
  sealer: SecretSealer,
  { networkId, vendor, clientId, url, types, description, secret }: NewWebhookRecord,
  limit: number,
): Promise<WebhookRecord | WebhookRejection> =>
  inTransaction(postgres, async (client) => {
    // Only one request creates a subscription at a time, so that concurrent requests do not exceed the limit.
    await client.query('LOCK TABLE webhook_subscriptions IN SHARE ROW EXCLUSIVE MODE');
    const owner = [networkId, vendor ?? null, clientId ?? null];
    const { rows: own } = await client.query<{ url: string }>(
      `SELECT url FROM webhook_subscriptions
       WHERE network_id = $1 AND vendor IS NOT DISTINCT FROM $2 AND client_id IS NOT DISTINCT FROM $3`,
      owner,
    );
    if (own.some((each) => each.url === url)) return 'exists';
    if (own.length >= limit) return 'too-many';
    const { rows } = await client.query<WebhookRecord>(
      `WITH s AS (INSERT INTO webhook_subscriptions (network_id, vendor, client_id, url, types, description)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING *)
       SELECT ${columns} FROM s`,
      [...owner, url, types, description ?? null],
    );
    const webhook = rows[0]!;
    await insertSecret(client, sealer, { webhook: webhook.id, secret });
    return webhook;
  });

/** Returns false if the filter selects no such subscription. */
export const deleteWebhook = async (postgres: Queryable, id: string, filter: WebhookFilter): Promise<boolean> => {
  const { rowCount } = await postgres.query(`DELETE FROM webhook_subscriptions s WHERE s.id = $1 AND ${matches(2)}`, [
    id,
    ...valuesOf(filter),
  ]);
  return rowCount === 1;
};

/** The previous secret also signs requests for `overlapSeconds`. Returns undefined if the filter selects no such subscription. */
export const rotateWebhookSecret = (
  postgres: Postgres,
  sealer: SecretSealer,
  id: string,
  filter: WebhookFilter,
  { secret, overlapSeconds }: { readonly secret: string; readonly overlapSeconds: number },
): Promise<WebhookRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `SELECT s.id FROM webhook_subscriptions s WHERE s.id = $1 AND ${matches(2)} FOR UPDATE`,
      [id, ...valuesOf(filter)],
    );
    if (rows.length === 0) return undefined;
    await client.query('DELETE FROM webhook_secrets WHERE subscription_id = $1 AND expires_at IS NOT NULL', [id]);
    await client.query(
      `UPDATE webhook_secrets SET expires_at = now() + $2 * interval '1 second' WHERE subscription_id = $1`,
      [id, overlapSeconds],
    );
    await insertSecret(client, sealer, { webhook: id, secret });
    const { rows: rotated } = await client.query<WebhookRecord>(
      `SELECT ${columns} FROM webhook_subscriptions s WHERE s.id = $1`,
      [id],
    );
    return rotated[0];
  });

export interface DeliveryRecord {
  readonly id: string;
  readonly sequence: string;
  readonly noticeId: string;
  readonly payload: string;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly DeliveryAttempt[];
}

export interface DeliveriesQuery {
  readonly state?: DeliveryState | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

const deliveryColumns = `d.id, d.sequence::text, d.notice_id AS "noticeId", d.payload, d.state, d.created_at AS "createdAt",
  d.next_attempt_at AS "nextAttemptAt", d.attempts`;

/** Newest first. Returns undefined if the filter selects no such subscription. */
export const listDeliveries = async (
  postgres: Queryable,
  id: string,
  filter: WebhookFilter,
  { state, before, limit }: DeliveriesQuery,
): Promise<readonly DeliveryRecord[] | undefined> => {
  const { rows } = await postgres.query<Omit<DeliveryRecord, 'id'> & { readonly id: string | null }>(
    `SELECT ${deliveryColumns}
     FROM webhook_subscriptions s
     LEFT JOIN LATERAL (SELECT * FROM webhook_deliveries WHERE subscription_id = s.id
       AND ($5::text IS NULL OR state = $5) AND ($6::bigint IS NULL OR sequence < $6)
       ORDER BY sequence DESC LIMIT $7) d ON true
     WHERE s.id = $1 AND ${matches(2)} ORDER BY d.sequence DESC`,
    [id, ...valuesOf(filter), state ?? null, before ?? null, limit],
  );
  return rows.length === 0
    ? undefined
    : rows.flatMap(({ id: found, ...row }) => (found === null ? [] : [{ ...row, id: found }]));
};

/**
 * Queues the given deliveries, also pending ones, for now; without ids, all dead letters. Returns their number, or undefined if the filter
 * selects no such subscription.
 */
export const requestRedelivery = async (
  postgres: Queryable,
  id: string,
  filter: WebhookFilter,
  deliveries: readonly string[] | undefined,
): Promise<number | undefined> => {
  const { rows } = await postgres.query<{ queued: number }>(
    `WITH s AS (SELECT s.id FROM webhook_subscriptions s WHERE s.id = $1 AND ${matches(2)}),
     queued AS (UPDATE webhook_deliveries d SET state = 'pending', next_attempt_at = now(), claims = 0, changed_at = now()
       FROM s WHERE d.subscription_id = s.id
         AND CASE WHEN $5::uuid[] IS NULL THEN d.state = 'dead' ELSE d.id = ANY($5) END
       RETURNING d.id)
     SELECT (SELECT count(*)::int FROM queued) AS queued FROM s`,
    [id, ...valuesOf(filter), deliveries ?? null],
  );
  return rows[0]?.queued;
};

/**
 * A test replaces the previous one, so that tests do not fill the table. Returns undefined if the filter selects no subscription.
 */
export const insertTestDelivery = (
  postgres: Postgres,
  id: string,
  filter: WebhookFilter,
  timestamp: string,
): Promise<DeliveryRecord | undefined> =>
  inTransaction(postgres, async (client) => {
    const { rows: found } = await client.query<{ network: number }>(
      `SELECT s.network_id::float8 AS network FROM webhook_subscriptions s WHERE s.id = $1 AND ${matches(2)} FOR UPDATE`,
      [id, ...valuesOf(filter)],
    );
    if (!found[0]) return undefined;
    const notice: TestNotice = { type: 'test', timestamp, data: { network_id: found[0].network } };
    await client.query('DELETE FROM webhook_deliveries WHERE id = $1', [id]);
    const { rows } = await client.query<DeliveryRecord>(
      `INSERT INTO webhook_deliveries AS d (id, subscription_id, notice_id, payload, next_attempt_at)
       VALUES ($1, $1, gen_random_uuid(), $2, now()) RETURNING ${deliveryColumns}`,
      [id, JSON.stringify(notice)],
    );
    return rows[0];
  });

/**
 * The subscriptions of a partner end with its client, and those of a vendor with its last valid API key. Clients of an external
 * identity provider are not in `clients`, so their subscriptions do not end.
 */
const isActive = `CASE
    WHEN s.client_id IS NOT NULL THEN NOT EXISTS (SELECT FROM clients c
      WHERE c.client_id = s.client_id AND (c.revoked_at IS NOT NULL OR s.network_id <> ALL(c.network_ids)))
    WHEN s.vendor IS NOT NULL THEN EXISTS (SELECT FROM api_keys k WHERE k.vendor = s.vendor AND k.network_id = s.network_id
      AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))
    ELSE true END`;

export interface NewDelivery {
  readonly noticeId: string;
  readonly network: number;
  readonly vendor: string | null;
  readonly type: NoticeType;
  readonly payload: string;
}

/** Adds no delivery that exists already. Returns the number of new deliveries. */
export const insertDeliveries = async (postgres: Queryable, notices: readonly NewDelivery[]): Promise<number> => {
  if (notices.length === 0) return 0;
  const { rowCount } = await postgres.query(
    `INSERT INTO webhook_deliveries (subscription_id, notice_id, payload, next_attempt_at)
     SELECT s.id, n."noticeId", n.payload, now()
     FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS ("noticeId" uuid, network bigint, vendor text, type text, payload text))
       WITH ORDINALITY AS n
     JOIN webhook_subscriptions s ON s.network_id = n.network AND n.type = ANY(s.types)
       AND (s.vendor IS NULL OR s.vendor = n.vendor) AND ${isActive}
     ORDER BY n.ordinality
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(notices)],
  );
  return rowCount ?? 0;
};

export interface ClaimedDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly noticeId: string;
  readonly payload: string;
  readonly url: string;
  /** Number of this attempt, from 1. A requested redelivery begins at 1 again. */
  readonly attempt: number;
  /** The valid secrets, the newest first. */
  readonly secrets: readonly SealedWebhookSecret[];
}

export interface DeliveryClaim {
  readonly nowMs: number;
  /** If the outcome is not recorded within this time, a process attempts the delivery again. */
  readonly timeoutMs: number;
  readonly limit: number;
  readonly perSubscription: number;
  readonly busy: readonly string[];
}

export const claimDeliveries = async (
  postgres: Queryable,
  { nowMs, timeoutMs, limit, perSubscription, busy }: DeliveryClaim,
): Promise<readonly ClaimedDelivery[]> => {
  const { rows } = await postgres.query<ClaimedDelivery>(
    `WITH due AS (SELECT d.id FROM webhook_subscriptions s
       CROSS JOIN LATERAL (SELECT id FROM webhook_deliveries
         WHERE subscription_id = s.id AND state = 'pending' AND next_attempt_at <= $1
         ORDER BY next_attempt_at, sequence LIMIT $4 FOR UPDATE SKIP LOCKED) d
       WHERE s.id <> ALL($5::uuid[]) AND ${isActive} LIMIT $3)
     UPDATE webhook_deliveries d SET claims = d.claims + 1, next_attempt_at = $2
     FROM due, webhook_subscriptions s WHERE d.id = due.id AND s.id = d.subscription_id
     RETURNING d.id, d.subscription_id AS "subscriptionId", d.notice_id AS "noticeId", d.payload, s.url, d.claims AS attempt,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'sealed', w.sealed_secret) ORDER BY w.created_at DESC), '[]')
         FROM webhook_secrets w WHERE w.subscription_id = s.id AND (w.expires_at IS NULL OR w.expires_at > $1)) AS secrets`,
    [new Date(nowMs), new Date(nowMs + timeoutMs), limit, perSubscription, busy],
  );
  return rows;
};

const keptAttempts = 20;

/** `next`: when to attempt again in ms since 1970, or the final state. Returns false if the claim is no longer current. */
export const recordAttempt = async (
  postgres: Queryable,
  { id, noticeId, attempt: claim }: Pick<ClaimedDelivery, 'id' | 'noticeId' | 'attempt'>,
  attempt: DeliveryAttempt,
  next: number | Exclude<DeliveryState, 'pending'>,
): Promise<boolean> => {
  const isPending = typeof next === 'number';
  const { rowCount } = await postgres.query(
    `UPDATE webhook_deliveries SET state = $3, next_attempt_at = $4, changed_at = CASE WHEN state = $3 THEN changed_at ELSE now() END,
       attempts = (SELECT jsonb_agg(a ORDER BY n) FROM (
         SELECT a, n FROM jsonb_array_elements(attempts || $5::jsonb) WITH ORDINALITY AS e (a, n) ORDER BY n DESC LIMIT ${keptAttempts}) kept)
     WHERE id = $1 AND notice_id = $6 AND claims = $2 AND state = 'pending'`,
    [id, claim, isPending ? 'pending' : next, isPending ? new Date(next) : null, JSON.stringify([attempt]), noticeId],
  );
  return rowCount === 1;
};

export interface DeliveryCounts {
  readonly pending: number;
  readonly dead: number;
  readonly subscriptionsWithDead: number;
}

export const countDeliveries = async (postgres: Queryable): Promise<DeliveryCounts> => {
  const { rows } = await postgres.query<DeliveryCounts>(
    `SELECT count(*) FILTER (WHERE state = 'pending')::int AS pending, count(*) FILTER (WHERE state = 'dead')::int AS dead,
       count(DISTINCT subscription_id) FILTER (WHERE state = 'dead')::int AS "subscriptionsWithDead"
     FROM webhook_deliveries WHERE state <> 'delivered'`,
  );
  return rows[0]!;
};

export const pruneWebhooks = async (postgres: Queryable): Promise<void> => {
  await postgres.query(
    `DELETE FROM webhook_deliveries WHERE created_at < now() - interval '${deliveriesKeptDays} days'
       AND changed_at < now() - interval '${deliveriesKeptDays} days'`,
  );
  await postgres.query('DELETE FROM webhook_secrets WHERE expires_at < now()');
};
