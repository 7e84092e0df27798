import type { Queryable } from './pool.ts';

const retentionHours = 8 * 24;

export interface RefusedHour extends Refusals {
  /** Start of the hour, ms since 1970. */
  readonly hourMs: number;
}

export interface Refusals {
  readonly network: number;
  readonly vendor: string;
  readonly code: string;
  readonly requests: number;
  readonly events: number;
  readonly latestReason: string;
  /** When the newest of these requests was refused, ms since 1970. */
  readonly latestMs: number;
}

export interface RefusalsFilter {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  readonly fromMs: number;
  readonly limit: number;
}

/** The counts replace those that the process stored earlier for the same hour, network, vendor and error code. */
export const writeRefusedHours = async (
  postgres: Queryable,
  process: string,
  hours: readonly RefusedHour[],
): Promise<void> => {
  if (hours.length === 0) return;
  await postgres.query(
    `INSERT INTO refused_hours AS r (hour, process, network, vendor, code, requests, events, latest_reason, latest_at)
     SELECT to_timestamp(f."hourMs" / 1000.0), $1, f.network, f.vendor, f.code, f.requests, f.events, f."latestReason",
       to_timestamp(f."latestMs" / 1000.0)
     FROM jsonb_to_recordset($2) AS f("hourMs" float8, network bigint, vendor text, code text, requests bigint,
       events bigint, "latestReason" text, "latestMs" float8)
     ON CONFLICT (hour, process, network, vendor, code) DO UPDATE SET requests = excluded.requests,
       events = excluded.events, latest_reason = excluded.latest_reason, latest_at = excluded.latest_at
     WHERE r.requests <> excluded.requests`,
    [process, JSON.stringify(hours)],
  );
};

export const readRefusals = async (
  postgres: Queryable,
  { network, vendor, fromMs, limit }: RefusalsFilter,
): Promise<readonly Refusals[]> => {
  const { rows } = await postgres.query<Refusals>(
    `SELECT network::float8 AS network, vendor, code, sum(requests)::float8 AS requests, sum(events)::float8 AS events,
       (array_agg(latest_reason ORDER BY latest_at DESC))[1] AS "latestReason",
       (extract(epoch FROM max(latest_at)) * 1000)::float8 AS "latestMs"
     FROM refused_hours
     WHERE hour >= to_timestamp($1 / 1000.0) AND ($2::bigint IS NULL OR network = $2) AND ($3::text IS NULL OR vendor = $3)
     GROUP BY network, vendor, code ORDER BY sum(events) DESC, network, vendor, code LIMIT $4`,
    [fromMs, network ?? null, vendor ?? null, limit],
  );
  return rows;
};

export const deleteOldRefusedHours = async (postgres: Queryable): Promise<void> => {
  await postgres.query(`DELETE FROM refused_hours WHERE hour < now() - interval '${retentionHours} hours'`);
};
