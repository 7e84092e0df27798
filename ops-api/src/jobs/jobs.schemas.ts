import { BULK_FORMATS, BulkJob } from '@popsvc/contracts/bulk';
import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';

const count = z.int().min(0);

export const JobAddress = z.object({ id: z.string().describe('Of the job.') });

const ListedJob = z
  .object({
    job_id: z.string(),
    status: BulkJob.shape.status,
    network_id: z.int().min(1),
    vendor: z.string(),
    file_name: z.string(),
    format: z.enum(BULK_FORMATS),
    schema_version: z.string(),
    size_bytes: count,
    bytes_read: count,
    processed_rows: count,
    error_rows: count,
    total_rows: count.nullable().describe('Null until the end of the file was seen.'),
    attempt: count.describe('0 before the first.'),
    progress_percent: z.number().min(0).max(100),
    queued_at: Instant.nullable(),
    began_at: Instant.nullable(),
    ended_at: Instant.nullable(),
    reason: z.string().nullable().describe('Why it failed.'),
  })
  .meta({ id: 'ListedJob' });

export const JobsTold = z.object({
  jobs: z.array(ListedJob),
  next_before: z.string().nullable().describe('What to send as `before` for the next page; null on the last.'),
});

export const ShownJob = ListedJob.extend({
  file_id: z.string(),
  key_id: z.string().nullable().describe('Which API key asked for it.'),
  metadata: z.looseObject({}).nullable(),
  mapping_version: z.int().nullable(),
  sha256: z.string().nullable(),
  errors: z.array(z.object({ row: z.int(), error: z.string() })).describe('The first bad rows.'),
}).meta({ id: 'ShownJob' });
