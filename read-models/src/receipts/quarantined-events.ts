import type { QuarantineCode } from '@popsvc/contracts/vocabulary';
import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';

/** Times are in ms since 1970. */
export interface QuarantineReasonRow {
  readonly network_id: number;
  readonly vendor: string;
  readonly schema_version: string;
  readonly code: QuarantineCode;
  readonly events: number;
  readonly latest_reason: string;
  readonly oldest_ms: number;
  readonly newest_ms: number;
}

const maxReasons = 200;

/** `waiting`: FROM source of the events' rows in `quarantine`. */
export const quarantineReasonsQuery = (waiting: Sql): Sql => sql`
SELECT network_id, vendor, schema_version, code, count() AS events, argMax(reason, pos) AS latest_reason,
  min(toUnixTimestamp64Milli(received_at)) AS oldest_ms, max(toUnixTimestamp64Milli(received_at)) AS newest_ms
FROM ${waiting}
GROUP BY network_id, vendor, schema_version, code
ORDER BY events DESC, network_id, vendor, schema_version, code LIMIT ${bind('UInt64', maxReasons)}`;

/** Fields that do not apply are empty or 0. `content`: the beginning of the event as sent. */
export interface QuarantinedEventRow {
  readonly sequence: string;
  readonly network_id: number;
  readonly vendor: string;
  readonly schema_version: string;
  readonly event_id: string;
  readonly received_ms: number;
  readonly code: QuarantineCode;
  readonly reason: string;
  readonly job_id: string;
  readonly job_row: number;
  readonly content: string;
  readonly raw_bytes: number;
}

/**
 * Selects the newest events first, and one more than `limit` if there is another page. `waiting`: FROM source of the events' rows in
 * `quarantine`. `characters`: maximum length of `content`.
 */
export const quarantinedEventsQuery = (waiting: Sql, limit: number, characters: number): Sql => sql`
SELECT toString(pos) AS sequence, network_id, vendor, schema_version, event_id, toUnixTimestamp64Milli(received_at) AS received_ms,
  code, reason, job_id, job_row, substringUTF8(raw, 1, ${bind('UInt64', characters)}) AS content, raw_bytes
FROM (SELECT * FROM ${waiting} ORDER BY pos DESC LIMIT ${bind('UInt64', limit + 1)})
ORDER BY pos DESC`;
