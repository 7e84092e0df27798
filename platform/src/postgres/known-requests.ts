import type { Queryable } from './open-records.ts';
import { type RequestKey, requestValues, sameRequest } from './request-name.ts';

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
    answer: string | null;
    old: boolean;
  }>({
    name: 'find-request',
    text: `SELECT body_hash, status, answer, ${isOld} AS old
      FROM idempotency_keys WHERE ${sameRequest}`,
    values: [...requestValues(name)],
  });
  const row = rows[0];
  if (!row) return undefined;
  if (row.old) {
    await postgres.query(`DELETE FROM idempotency_keys WHERE ${sameRequest} AND ${isOld}`, [...requestValues(name)]);
    return undefined;
  }
  return { bodyHash: row.body_hash, status: row.status ?? undefined, response: row.answer ?? undefined };
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
