import type { Queryable } from './pool.ts';

const retentionHours = 48;

export interface IntakeMinute {
  /** Start of the minute, ms since 1970. */
  readonly minuteMs: number;
  /** `accepted`, or the error code of the rejected requests. */
  readonly outcome: string;
  readonly events: number;
  readonly requests: number;
}

/** `freshnessMs`: age of the newest event that all read models contain; null while one of them is empty. */
export interface LagSample {
  readonly lagEvents: number;
  readonly freshnessMs: number | null;
}

/** The values replace those that the process stored earlier for the same minute and outcome. */
export const writeIntakeMinutes = async (
  postgres: Queryable,
  process: string,
  minutes: readonly IntakeMinute[],
): Promise<void> => {
  if (minutes.length === 0) return;
  await postgres.query(
    `INSERT INTO intake_minutes (minute, process, outcome, events, requests)
     SELECT to_timestamp(f."minuteMs" / 1000.0), $1, f.outcome, f.events, f.requests
     FROM jsonb_to_recordset($2) AS f("minuteMs" float8, outcome text, events bigint, requests bigint)
     ON CONFLICT (minute, process, outcome) DO UPDATE SET events = excluded.events, requests = excluded.requests`,
    [process, JSON.stringify(minutes)],
  );
};

export const writeLagSample = async (postgres: Queryable, minuteMs: number, sample: LagSample): Promise<void> => {
  await postgres.query(
    `INSERT INTO projection_minutes AS p (minute, lag_events, freshness_ms) VALUES (to_timestamp($1 / 1000.0), $2, $3)
     ON CONFLICT (minute) DO UPDATE SET sampled_at = now(), lag_events = greatest(p.lag_events, excluded.lag_events),
       freshness_ms = greatest(p.freshness_ms, excluded.freshness_ms)`,
    [minuteMs, sample.lagEvents, sample.freshnessMs],
  );
};

export const wasLagSampled = async (postgres: Queryable, withinMs: number): Promise<boolean> => {
  const { rows } = await postgres.query<{ recent: boolean }>(
    `SELECT coalesce(max(sampled_at) > now() - $1 * interval '1 millisecond', false) AS recent
     FROM projection_minutes WHERE minute > now() - interval '10 minutes'`,
    [withinMs],
  );
  return rows[0]?.recent === true;
};

export const readIntakeMinutes = async (
  postgres: Queryable,
  fromMs: number,
  toMs: number,
): Promise<readonly IntakeMinute[]> => {
  const { rows } = await postgres.query<IntakeMinute>(
    `SELECT (extract(epoch FROM minute) * 1000)::float8 AS "minuteMs", outcome,
       sum(events)::float8 AS events, sum(requests)::float8 AS requests
     FROM intake_minutes WHERE minute >= to_timestamp($1 / 1000.0) AND minute < to_timestamp($2 / 1000.0)
     GROUP BY minute, outcome ORDER BY minute, outcome`,
    [fromMs, toMs],
  );
  return rows;
};

export const readLagMinutes = async (
  postgres: Queryable,
  fromMs: number,
  toMs: number,
): Promise<readonly (LagSample & { readonly minuteMs: number })[]> => {
  const { rows } = await postgres.query<LagSample & { minuteMs: number }>(
    `SELECT (extract(epoch FROM minute) * 1000)::float8 AS "minuteMs", lag_events::float8 AS "lagEvents",
       freshness_ms::float8 AS "freshnessMs"
     FROM projection_minutes WHERE minute >= to_timestamp($1 / 1000.0) AND minute < to_timestamp($2 / 1000.0)
     ORDER BY minute`,
    [fromMs, toMs],
  );
  return rows;
};

export const deleteOldMinutes = async (postgres: Queryable): Promise<void> => {
  for (const table of ['intake_minutes', 'projection_minutes'])
    await postgres.query(`DELETE FROM ${table} WHERE minute < now() - interval '${retentionHours} hours'`);
};
