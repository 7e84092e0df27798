import { defineTable, field } from '@popsvc/platform/clickhouse';
import { instant, position, text, word } from '../declarations/fields.ts';

/**
 * A job is at most five rows, one a part of its life, each written whole by one event: so it is folded without remembering
 * anything, and told again it stays as it is.
 */
export const bulkJobs = defineTable({
  name: 'bulk_jobs',
  about: 'Bulk jobs, a row for each part of their lives: queued, began, attempt (the latest), rows (how far), ended.',
  orderBy: ['job_id', 'part'],
  day: 'recorded_at',
  replacing: { version: 'pos' },
  granularity: 1024,
  fields: {
    job_id: text('Job.'),
    part: word('queued, began, attempt, rows or ended: which of the columns below are filled.'),
    pos: position('The event'),
    recorded_at: instant('When the event was appended.'),
    network_id: field('UInt64', 'queued: network.'),
    vendor: word('queued: vendor code.'),
    key_id: text('queued: which API key asked for it.'),
    file_id: text('queued: the file.'),
    file_name: text('queued: its name.'),
    format: word('queued: ndjson, json or csv.'),
    schema_version: text('queued: the schema of its rows.'),
    size_bytes: field('UInt64', 'queued: size of the file.'),
    attempt: field('UInt32', 'began, attempt, rows, ended: whose attempt it was.'),
    worker: text('began, attempt: who works.'),
    bytes_read: field('UInt64', 'rows: how much of the file was read, about.'),
    processed_rows: field('UInt64', 'rows, ended: rows that were taken in, since the start.'),
    error_rows: field('UInt64', 'rows, ended: rows that failed, since the start.'),
    total_rows: field('Nullable(UInt64)', 'ended: rows of the file; null when its end was never seen.'),
    status: word('ended: completed, partially_completed or failed.'),
    reason: text('ended: why it failed.'),
  },
});
