import { plays, receipts } from '@popsvc/read-models/tables';
import { joinWithAnd, bind, instantSql, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { classifyReceipts } from '@popsvc/read-models/queries';

export interface ConflictsWanted {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  /** Received in an hour that ends after this or later, ms since 1970. */
  readonly since: number;
  readonly limit: number;
  /** Recorded before this position of the log. */
  readonly before?: string | undefined;
}

const hourMs = 3_600_000;

const those = ({ network, vendor, since, before }: ConflictsWanted): Sql =>
  joinWithAnd([
    sql`outcome = 'conflict'`,
    network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    sql`hour > ${instantSql(since - hourMs)}`,
    before === undefined ? undefined : sql`pos < ${bind('UInt64', before)}`,
  ]);

const newest = (wanted: ConflictsWanted): Sql => sql`
  SELECT network_id, vendor, event_id, pos FROM ${liveViewName(receipts)} WHERE ${those(wanted)}
  ORDER BY pos DESC LIMIT ${bind('UInt64', wanted.limit)}`;

export interface ConflictFound {
  readonly network_id: number;
  readonly vendor: string;
  readonly event_id: string;
  readonly position: string;
  readonly received_ms: number;
  readonly first_position: string;
  readonly first_received_ms: number;
}

/** Receipts whose content differs from the first of their id, the newest first, each with that first one. */
export const conflictsQuery = (wanted: ConflictsWanted): Sql => sql`
SELECT network_id, vendor, event_id, toString(pos) AS position, toUnixTimestamp64Milli(received_at) AS received_ms,
  toString(first_pos) AS first_position, toUnixTimestamp64Milli(first_received_at) AS first_received_ms
FROM (
  SELECT *, argMin(received_at, pos) OVER same AS first_received_at
  FROM (${classifyReceipts(sql`${liveViewName(plays)} WHERE (network_id, vendor, event_id) IN
    (SELECT network_id, vendor, event_id FROM (${newest(wanted)}))`)})
  WINDOW same AS (PARTITION BY network_id, vendor, event_id)
)
WHERE outcome = 'conflict' AND (network_id, vendor, pos) IN (SELECT network_id, vendor, pos FROM (${newest(wanted)}))
ORDER BY pos DESC`;
