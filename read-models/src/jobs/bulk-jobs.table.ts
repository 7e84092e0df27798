import { defineTable, field } from '@popsvc/platform/clickhouse';
import { instant, sequence, text, word } from '../declarations/fields.ts';

/**
 * A job has at most five rows, one for each part of its life cycle. Each row comes from a single event, so the projection needs
 * no state, and a repeated event changes nothing.
 */
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
    schema_version: text('queued: the schema of its rows.'),
    size_bytes: field('UInt64', 'queued: size of the file.'),
    attempt: field('UInt32', 'began, attempt, rows, ended: number of the attempt.'),
    worker: text('began, attempt: worker.'),
    bytes_read: field('UInt64', 'rows: approximate bytes of the file read so far.'),
    processed_rows: field('UInt64', 'rows, ended: accepted rows since the start.'),
    error_rows: field('UInt64', 'rows, ended: failed rows since the start.'),
    total_rows: field('Nullable(UInt64)', 'ended: rows of the file; null when its end was not reached.'),
    status: word('ended: completed, partially_completed or failed.'),
    reason: text('ended: reason of a failure.'),
  },
});
