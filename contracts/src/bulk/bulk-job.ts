import { z } from 'zod';

const instant = z.iso.datetime();

/** A bulk job as vendors are told of it. */
export const BulkJob = z
  .object({
    jobId: z.string(),
    status: z.enum(['queued', 'processing', 'completed', 'failed', 'partially_completed']),
    totalRows: z.int().optional().describe('Rows of the file; told once its end was seen.'),
    processedRows: z.int().describe('Rows that were taken in.'),
    errorRows: z.int().describe('Rows that failed.'),
    errors: z
      .array(z.object({ row: z.int(), error: z.string() }))
      .readonly()
      .describe('The first 1,000 rows that failed.'),
    startedAt: instant.describe('When processing began; until then, when the job was queued.'),
    completedAt: instant.nullable(),
    bytesRead: z.int().describe('How far in the file the work is, about.'),
    sizeBytes: z.int().describe('Of the file.'),
    message: z.string().optional().describe('Why the job failed.'),
  })
  .meta({ id: 'BulkJob' });
export type BulkJob = z.output<typeof BulkJob>;

/** Formats of bulk files, and the content type each is uploaded with. */
export const BULK_FORMATS = ['ndjson', 'json', 'csv'] as const;
export type BulkFormat = (typeof BULK_FORMATS)[number];

export const bulkContentTypes: Readonly<Record<BulkFormat, string>> = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};
