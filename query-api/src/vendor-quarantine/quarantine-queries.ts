import { shownContentCharacters } from '@popsvc/contracts/responses';
import type { QuarantineCode } from '@popsvc/contracts/vocabulary';
import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';
import { quarantine } from '@popsvc/read-models/tables';
import { rowsOfVendor, type VendorScope } from '../scope/vendor.ts';

interface WaitingSelection {
  readonly schemaVersion?: string | undefined;
  readonly jobId?: string | undefined;
}

const waitingRows = (vendor: VendorScope, { schemaVersion, jobId }: WaitingSelection, before?: string): Sql =>
  rowsOfVendor(quarantine, vendor, [
    sql`state = 'waiting'`,
    schemaVersion === undefined ? undefined : sql`schema_version = ${bind('String', schemaVersion)}`,
    jobId === undefined ? undefined : sql`job_id = ${bind('String', jobId)}`,
    before === undefined ? undefined : sql`pos < ${bind('UInt64', before)}`,
  ]);

/** A reason for which events of a schema version wait. Times are in ms since 1970. */
export interface ReasonRow {
  readonly schema_version: string;
  readonly code: QuarantineCode;
  readonly events: number;
  readonly latest_reason: string;
  readonly oldest_ms: number;
  readonly newest_ms: number;
}

const maxReasons = 200;

/** Counts a vendor's waiting events by schema version and code, most frequent first. */
export const queryReasons = (vendor: VendorScope, selection: WaitingSelection): Sql => sql`
SELECT schema_version, code, count() AS events, argMax(reason, pos) AS latest_reason,
  min(toUnixTimestamp64Milli(received_at)) AS oldest_ms, max(toUnixTimestamp64Milli(received_at)) AS newest_ms
FROM ${waitingRows(vendor, selection)}
GROUP BY schema_version, code
ORDER BY events DESC, schema_version, code LIMIT ${bind('UInt64', maxReasons)}`;

/** An event that waits in quarantine. Fields that do not apply are empty or 0. */
export interface WaitingEventRow {
  readonly sequence: string;
  readonly received_ms: number;
  readonly schema_version: string;
  readonly event_id: string;
  readonly code: QuarantineCode;
  readonly reason: string;
  readonly job_id: string;
  readonly job_row: number;
  readonly content: string;
}

/** Selects a vendor's waiting events, newest first, plus one more event if there is another page. */
export const queryWaitingEvents = (
  vendor: VendorScope,
  selection: WaitingSelection,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Sql => sql`
SELECT toString(pos) AS sequence, toUnixTimestamp64Milli(received_at) AS received_ms, schema_version, event_id, code, reason,
  job_id, job_row, substringUTF8(raw, 1, ${bind('UInt64', shownContentCharacters)}) AS content
FROM ${waitingRows(vendor, selection, before)}
ORDER BY pos DESC LIMIT ${bind('UInt64', limit + 1)}`;
