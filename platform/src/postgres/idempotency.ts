import type { Queryable } from './pool.ts';

/** `key` is the Idempotency-Key, which is unique only for a credential and a route. */
export interface RequestKey {
  readonly credential: string;
  readonly route: string;
  readonly key: string;
}

const sameRequest = 'credential = $1 AND route = $2 AND key = $3';
const requestValues = ({ credential, route, key }: RequestKey): readonly string[] => [credential, route, key];

export interface RequestClaim {
  readonly name: RequestKey;
  readonly bodyHash: Buffer;
  /** The name of the stream contains the date. A retry on the next day must append to the same stream. */
  readonly stream?: string;
  readonly receivedAtMs: number;
}

/** `stream` and `receivedAtMs` are the values that the first attempt stored. */
export interface ClaimedRequest {
  readonly stream: string | undefined;
  readonly receivedAtMs: number;
  readonly attempt: number;
  /** The stored `tried_at` of the previous attempt; undefined for the first attempt. */
  readonly previousAttemptAtMs: number | undefined;
}

export const claimTimeoutSeconds = 4;
const claimExpiry = `now() + interval '${claimTimeoutSeconds} seconds'`;

/** A change of the log after the response may have removed the events of the request, so a retry searches for them. */
const hasOutdatedResponse = `known.status IS NOT NULL AND known.tried_at < (SELECT max(found_at) FROM log_changes)`;

/**
 * Returns undefined if another attempt is running, or if the request has a response or was sent with a different body. A response from
 * before the newest change of the log does not count.
 */
export const claimRequest = async (postgres: Queryable, claim: RequestClaim): Promise<ClaimedRequest | undefined> => {
  const { rows } = await postgres.query<{
    stream: string | null;
    received_at: Date;
    attempt: number;
    previous_attempt_at: Date | null;
  }>({
    name: 'claim-request',
    text: `INSERT INTO idempotency_keys AS known (credential, route, key, body_hash, stream, received_at, running_until)
      VALUES ($1, $2, $3, $4, $5, $6, ${claimExpiry})
      ON CONFLICT (credential, route, key) DO UPDATE
        SET attempt = known.attempt + 1, previous_attempt_at = known.tried_at, tried_at = now(), running_until = ${claimExpiry},
          status = NULL, response = NULL
        WHERE known.body_hash = EXCLUDED.body_hash AND (${hasOutdatedResponse}
          OR known.status IS NULL AND (known.running_until IS NULL OR known.running_until < now()))
      RETURNING stream, received_at, attempt, previous_attempt_at`,
    values: [...requestValues(claim.name), claim.bodyHash, claim.stream ?? null, new Date(claim.receivedAtMs)],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { stream, received_at, attempt, previous_attempt_at } = row;
  return {
    stream: stream ?? undefined,
    receivedAtMs: received_at.getTime(),
    attempt,
    previousAttemptAtMs: previous_attempt_at?.getTime(),
  };
};

const update = async (postgres: Queryable, name: RequestKey, attempt: number, set: string, more: unknown[] = []) => {
  await postgres.query(`UPDATE idempotency_keys SET ${set} WHERE ${sameRequest} AND attempt = $4 AND status IS NULL`, [
    ...requestValues(name),
    attempt,
    ...more,
  ]);
};

export const renewClaim = (postgres: Queryable, name: RequestKey, attempt: number): Promise<void> =>
  update(postgres, name, attempt, `tried_at = now(), running_until = ${claimExpiry}`);

export const releaseClaim = (postgres: Queryable, name: RequestKey, attempt: number): Promise<void> =>
  update(postgres, name, attempt, 'tried_at = now(), running_until = NULL');

/** Restores the time of the attempt before, because this one appended no events that the next attempt must search for. */
export const withdrawClaim = (postgres: Queryable, name: RequestKey, attempt: number): Promise<void> =>
  update(postgres, name, attempt, 'tried_at = coalesce(previous_attempt_at, now()), running_until = NULL');

/** Deletes a request whose only attempt was rejected. The client can then send a corrected request with the same key. */
export const deleteRequest = async (postgres: Queryable, name: RequestKey): Promise<void> => {
  await postgres.query(`DELETE FROM idempotency_keys WHERE ${sameRequest} AND attempt = 1 AND status IS NULL`, [
    ...requestValues(name),
  ]);
};

export const storeResponse = (
  postgres: Queryable,
  name: RequestKey,
  attempt: number,
  { status, response }: { readonly status: number; readonly response: string },
): Promise<void> =>
  update(postgres, name, attempt, 'running_until = NULL, status = $5, response = $6', [status, response]);

export interface StoredRequest {
  readonly bodyHash: Buffer;
  readonly status: number | undefined;
  readonly response: string | undefined;
}

const retentionHours = 24;
const isExpired = `created_at < now() - interval '${retentionHours} hours'`;
const deletedPerStatement = 10_000;

/** Returns undefined if the request does not exist, or if it is older than 24 hours and therefore deleted. */
export const findRequest = async (postgres: Queryable, name: RequestKey): Promise<StoredRequest | undefined> => {
  const { rows } = await postgres.query<{
    body_hash: Buffer;
    status: number | null;
    response: string | null;
    expired: boolean;
  }>({
    name: 'find-request',
    text: `SELECT body_hash, CASE WHEN ${hasOutdatedResponse} THEN NULL ELSE status END AS status, response, ${isExpired} AS expired
      FROM idempotency_keys AS known WHERE ${sameRequest}`,
    values: [...requestValues(name)],
  });
  const row = rows[0];
  if (!row) return undefined;
  if (row.expired) {
    await postgres.query(`DELETE FROM idempotency_keys WHERE ${sameRequest} AND ${isExpired}`, [
      ...requestValues(name),
    ]);
    return undefined;
  }
  return { bodyHash: row.body_hash, status: row.status ?? undefined, response: row.response ?? undefined };
};

export const deleteExpiredRequests = async (postgres: Queryable): Promise<number> => {
  for (let deleted = 0; ;) {
    const { rowCount } = await postgres.query(
      `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotency_keys WHERE ${isExpired} LIMIT ${deletedPerStatement})) AND ${isExpired}`,
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < deletedPerStatement) return deleted;
  }
};
