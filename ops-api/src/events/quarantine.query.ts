import { quarantine } from '@popsvc/read-models/tables';
import { joinWithAnd, bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';

export interface QuarantineWanted {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  readonly schemaVersion?: string | undefined;
}

/** Characters of an event that a list shows. */
const shownCharacters = 10_000;
const mostReasons = 200;

const those = ({ network, vendor, schemaVersion }: QuarantineWanted, before?: string): Sql =>
  joinWithAnd([
    sql`state = 'waiting'`,
    network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    schemaVersion === undefined ? undefined : sql`schema_version = ${bind('String', schemaVersion)}`,
    before === undefined ? undefined : sql`pos < ${bind('UInt64', before)}`,
  ]);

export interface ReasonFound {
  readonly network_id: number;
  readonly vendor: string;
  readonly schema_version: string;
  readonly code: string;
  readonly events: number;
  readonly latest_reason: string;
  readonly oldest_ms: number;
  readonly newest_ms: number;
}

/** Why events wait, the most frequent first; of each kind of reason the latest in its own words. */
export const reasonsQuery = (wanted: QuarantineWanted): Sql => sql`
SELECT network_id, vendor, schema_version, code, count() AS events, argMax(reason, pos) AS latest_reason,
  min(toUnixTimestamp64Milli(received_at)) AS oldest_ms, max(toUnixTimestamp64Milli(received_at)) AS newest_ms
FROM ${liveViewName(quarantine)} WHERE ${those(wanted)}
GROUP BY network_id, vendor, schema_version, code
ORDER BY events DESC, network_id, vendor, schema_version, code LIMIT ${bind('UInt64', mostReasons)}`;

export interface WaitingFound {
  readonly position: string;
  readonly network_id: number;
  readonly vendor: string;
  readonly schema_version: string;
  readonly event_id: string;
  readonly received_ms: number;
  readonly code: string;
  readonly reason: string;
  readonly job_id: string;
  readonly job_row: number;
  readonly raw: string;
  readonly raw_bytes: number;
}

/** Events that wait, the newest first. */
export const waitingQuery = (wanted: QuarantineWanted, limit: number, before?: string): Sql => sql`
SELECT toString(pos) AS position, network_id, vendor, schema_version, event_id,
  toUnixTimestamp64Milli(received_at) AS received_ms, code, reason, job_id, job_row,
  substringUTF8(quarantine.raw, 1, ${bind('UInt64', shownCharacters)}) AS raw, raw_bytes
FROM (
  SELECT * FROM ${liveViewName(quarantine)} WHERE ${those(wanted, before)} ORDER BY pos DESC LIMIT ${bind('UInt64', limit)}
) AS quarantine
ORDER BY pos DESC`;
