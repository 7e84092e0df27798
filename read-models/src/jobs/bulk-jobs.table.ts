import { bind, defineTable, field, joinWithAnd, type Sql, sql } from '@popsvc/platform/clickhouse';
import { instant, sequence, text, word } from '../declarations/fields.ts';

/** Each row comes from a single event, so the projection needs no state. */
export const bulkJobs = defineTable({
  name: 'bulk_jobs',
  about: 'Bulk jobs, one row per part of their lifecycle: queued, began, attempt (the latest), rows (progress), ended.',
  orderBy: ['job_id', 'part'],
  day: 'recorded_at',
  replacing: { version: 'pos' },
  granularity: 1024,
  fields: {
    job_id: text('Job.'),
    part: word('queued, began, attempt, rows or ended: determines which of the columns below are filled.'),
    pos: sequence('The item'),
    recorded_at: instant('When the event was appended.'),
    network_id: field('UInt64', 'queued: network.'),
    vendor: word('queued: vendor code.'),
    key_id: text('queued: id of the API key.'),
    file_id: text('queued: the file.'),
    file_name: text('queued: its name.'),
    format: word('queued: ndjson, json or csv.'),
    delimiter: word('queued: delimiter of a CSV file; empty for other files.'),
    schema_version: text('queued: the schema of its rows.'),
    size_bytes: field('UInt64', 'queued: size of the file.'),
    attempt: field('UInt32', 'began, attempt, rows, ended: number of the attempt.'),
    worker: text('began, attempt: worker.'),
    bytes_read: field('UInt64', 'rows: approximate bytes of the file read so far.'),
    processed_rows: field('UInt64', 'rows, ended: accepted rows since the start.'),
    error_rows: field('UInt64', 'rows, ended: failed rows since the start.'),
    total_rows: field(
      'Nullable(UInt64)',
      'ended: rows of the file, as far as it is readable; null when it failed before its end.',
    ),
    status: word('ended: completed, partially_completed or failed.'),
    reason: text('ended: why it failed, or why its file was not read to its end.'),
  },
});

/** Times are in ms since 1970; 0 for a step that the job has not reached. */
export interface JobRow {
  readonly job_id: string;
  readonly status: string;
  readonly network_id: number;
  readonly vendor: string;
  readonly file_name: string;
  readonly format: string;
  readonly delimiter: string;
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

const joinJobParts = (from: Sql): Sql => sql`
  SELECT job_id,
    maxIf(network_id, part = 'queued') AS network_id, maxIf(vendor, part = 'queued') AS vendor,
    maxIf(file_name, part = 'queued') AS file_name, maxIf(format, part = 'queued') AS format,
    maxIf(delimiter, part = 'queued') AS delimiter,
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
    if(status = 'completed' OR (status = 'partially_completed' AND reason = ''), size_bytes, maxIf(bytes_read, part = 'rows')) AS bytes_read
  FROM ${from} AS jobs GROUP BY job_id`;

/**
 * Selects the newest jobs first, and one more than `limit` if there is another page. `from`: FROM source with all rows of each job.
 * `conditions` use `queued_pos` instead of `sequence`.
 */
export const jobsQuery = (from: Sql, conditions: readonly (Sql | undefined)[], limit: number): Sql => sql`
SELECT * EXCEPT (queued_pos), toString(queued_pos) AS sequence FROM (${joinJobParts(from)})
WHERE ${joinWithAnd(conditions)}
ORDER BY queued_pos DESC LIMIT ${bind('UInt64', limit + 1)}`;
