import type { Queryable } from './pool.ts';

/** Names one request that may be told again: the same key of another credential or route is another request. */
export interface RequestKey {
  readonly credential: string;
  readonly route: string;
  readonly key: string;
}

/** A condition on rows of `idempotency_keys`, with its three values. */
const sameRequest = 'credential = $1 AND route = $2 AND key = $3';
const requestValues = ({ credential, route, key }: RequestKey): readonly string[] => [credential, route, key];

/** A request about to be worked on. */
export interface RequestClaim {
  readonly name: RequestKey;
  readonly bodyHash: Buffer;
  /** Where its events go, for requests that make events of a stream shared with others. */
  readonly stream?: string;
  readonly receivedAtMs: number;
}

/** The right to work on a request, with what its first try laid down. */
export interface ClaimedRequest {
  readonly stream: string | undefined;
  readonly receivedAtMs: number;
  /** 1 for the first try. */
  readonly attempt: number;
  /** When an earlier try was last known to be at work; undefined for the first. */
  readonly previousAttemptAtMs: number | undefined;
}

/** A try that shows no life for so long is believed dead, and the next one takes over. */
export const claimTimeoutSeconds = 4;
const living = `now() + interval '${claimTimeoutSeconds} seconds'`;

/** Claims a new request, or one whose last try gave up or died; undefined when it is running, answered or has another body. */
export const claimRequest = async (postgres: Queryable, claim: RequestClaim): Promise<ClaimedRequest | undefined> => {
  const { rows } = await postgres.query<{
    stream: string | null;
    received_at: Date;
    attempt: number;
    previous_attempt_at: Date | null;
  }>({
    name: 'claim-request',
    text: `INSERT INTO idempotency_keys AS known (credential, route, key, body_hash, stream, received_at, running_until)
      VALUES ($1, $2, $3, $4, $5, $6, ${living})
      ON CONFLICT (credential, route, key) DO UPDATE
        SET attempt = known.attempt + 1, previous_attempt_at = known.tried_at, tried_at = now(), running_until = ${living}
        WHERE known.status IS NULL AND (known.running_until IS NULL OR known.running_until < now())
          AND known.body_hash = EXCLUDED.body_hash
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

/** Says that a try is still at work. */
export const renewClaim = (postgres: Queryable, name: RequestKey, attempt: number): Promise<void> =>
  update(postgres, name, attempt, `tried_at = now(), running_until = ${living}`);

/** Gives a try up, so that the next one need not wait for its end. */
export const releaseClaim = (postgres: Queryable, name: RequestKey, attempt: number): Promise<void> =>
  update(postgres, name, attempt, 'tried_at = now(), running_until = NULL');

/** Gives up a try that began nothing: what may be in the log is of the tries before it, and no newer than they are. */
export const withdrawClaim = (postgres: Queryable, name: RequestKey, attempt: number): Promise<void> =>
  update(postgres, name, attempt, 'tried_at = coalesce(previous_attempt_at, now()), running_until = NULL');

/** Forgets a request whose only try was refused: nothing was done, and the sender may mend it under the same key. */
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

/** What is known of a request that somebody else works on or has answered. */
export interface StoredRequest {
  readonly bodyHash: Buffer;
  readonly status: number | undefined;
  readonly response: string | undefined;
}

const keptHours = 24;
const isOld = `created_at < now() - interval '${keptHours} hours'`;
/** So many in one statement, which has its limit of time. */
const sweptAtOnce = 10_000;

/** Undefined when there is none, or when it is past its 24 hours; such a one is removed. */
export const findRequest = async (postgres: Queryable, name: RequestKey): Promise<StoredRequest | undefined> => {
  const { rows } = await postgres.query<{
    body_hash: Buffer;
    status: number | null;
    response: string | null;
    old: boolean;
  }>({
    name: 'find-request',
    text: `SELECT body_hash, status, response, ${isOld} AS old
      FROM idempotency_keys WHERE ${sameRequest}`,
    values: [...requestValues(name)],
  });
  const row = rows[0];
  if (!row) return undefined;
  if (row.old) {
    await postgres.query(`DELETE FROM idempotency_keys WHERE ${sameRequest} AND ${isOld}`, [...requestValues(name)]);
    return undefined;
  }
  return { bodyHash: row.body_hash, status: row.status ?? undefined, response: row.response ?? undefined };
};

/** Removes what is past its 24 hours; returns how many. */
export const deleteExpiredRequests = async (postgres: Queryable): Promise<number> => {
  for (let swept = 0; ;) {
    const { rowCount } = await postgres.query(
      `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotency_keys WHERE ${isOld} LIMIT ${sweptAtOnce})) AND ${isOld}`,
    );
    swept += rowCount ?? 0;
    if ((rowCount ?? 0) < sweptAtOnce) return swept;
  }
};
