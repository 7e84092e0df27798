import { z } from 'zod';

const instant = z.iso.datetime();

/** A bulk job in API responses. */
export const BulkJob = z
  .object({
    jobId: z.string(),
    status: z.enum(['queued', 'processing', 'completed', 'failed', 'partially_completed']),
    totalRows: z.int().optional().describe('Rows of the file; present once the worker has read the file to its end.'),
    processedRows: z.int().describe('Rows that were accepted.'),
    errorRows: z.int().describe('Rows that failed.'),
    errors: z
      .array(z.object({ row: z.int(), error: z.string() }))
      .readonly()
      .describe('The first 1,000 rows that failed.'),
    startedAt: instant.describe('Start of processing; before that, the time at which the job was queued.'),
    completedAt: instant.nullable(),
    bytesRead: z.int().describe('Approximate number of bytes read so far.'),
    sizeBytes: z.int().describe('Size of the file.'),
    message: z.string().optional().describe('Reason of a failure.'),
  })
  .meta({ id: 'BulkJob' });
export type BulkJob = z.output<typeof BulkJob>;

export const BULK_FORMATS = ['ndjson', 'json', 'csv'] as const;
export type BulkFormat = (typeof BULK_FORMATS)[number];

export const bulkContentTypes: Readonly<Record<BulkFormat, string>> = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};
