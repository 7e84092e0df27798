import { bulkJobs } from '@popsvc/read-models/tables';
import { joinWithAnd, bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';

export interface JobsFilter {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  readonly status?: string | undefined;
  readonly limit: number;
  /** Cursor: only jobs that were queued before this sequence. */
  readonly before?: string | undefined;
}

/** A job as stored by the projection. Times are in ms since 1970; 0 for a step that the job has not reached. */
export interface JobRow {
  readonly job_id: string;
  readonly status: string;
  readonly network_id: number;
  readonly vendor: string;
  readonly file_name: string;
  readonly format: string;
  readonly schema_version: string;
  readonly size_bytes: number;
  readonly bytes_read: number;
  readonly processed_rows: number;
  readonly error_rows: number;
  readonly total_rows: number | null;
  readonly attempt: number;
  readonly reason: string;
  readonly queued_ms: number;
  readonly began_ms: number;
  readonly ended_ms: number;
  readonly sequence: string;
}

const jobsSql = sql`
  SELECT job_id,
    maxIf(network_id, part = 'queued') AS network_id, maxIf(vendor, part = 'queued') AS vendor,
    maxIf(file_name, part = 'queued') AS file_name, maxIf(format, part = 'queued') AS format,
    maxIf(schema_version, part = 'queued') AS schema_version, maxIf(size_bytes, part = 'queued') AS size_bytes,
    max(attempt) AS attempt,
    argMaxIf(processed_rows, pos, part IN ('rows', 'ended')) AS processed_rows,
    argMaxIf(error_rows, pos, part IN ('rows', 'ended')) AS error_rows,
    maxIf(total_rows, part = 'ended') AS total_rows, maxIf(reason, part = 'ended') AS reason,
    maxIf(toUnixTimestamp64Milli(recorded_at), part = 'queued') AS queued_ms,
    maxIf(toUnixTimestamp64Milli(recorded_at), part = 'began') AS began_ms,
    maxIf(toUnixTimestamp64Milli(recorded_at), part = 'ended') AS ended_ms,
    maxIf(pos, part = 'queued') AS queued_pos,
    multiIf(ended_ms > 0, maxIf(jobs.status, part = 'ended'), began_ms > 0, 'processing', 'queued') AS status,
    if(status IN ('completed', 'partially_completed'), size_bytes, maxIf(bytes_read, part = 'rows')) AS bytes_read
  FROM ${liveViewName(bulkJobs)} AS jobs GROUP BY job_id`;

/** Selects the matching jobs, newest first, plus one row if there is another page. */
export const jobsQuery = ({ network, vendor, status, limit, before }: JobsFilter): Sql => sql`
SELECT * EXCEPT (queued_pos), toString(queued_pos) AS sequence FROM (${jobsSql})
WHERE ${joinWithAnd([
  sql`queued_pos > 0`,
  network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
  vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
  status === undefined ? undefined : sql`status = ${bind('String', status)}`,
  before === undefined ? undefined : sql`queued_pos < ${bind('UInt64', before)}`,
])}
ORDER BY queued_pos DESC LIMIT ${bind('UInt64', limit + 1)}`;
