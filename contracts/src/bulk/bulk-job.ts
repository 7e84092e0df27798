import { z } from 'zod';

const instant = z.iso.datetime();

/** In order of precedence if the header row fits several delimiters. The first is the default without a header row. */
export const CSV_DELIMITERS = [',', ';', '\t'] as const;
export type CsvDelimiter = (typeof CSV_DELIMITERS)[number];

export const BulkJobWarning = z
  .object({
    row: z.int().min(1).describe('Data row of the file, from 1.'),
    code: z.literal('MULTI_LINE_ROW').describe('A quoted field makes several lines of the file one row.'),
    message: z.string().describe('The lines and what to check, for people; the text may change.'),
  })
  .meta({ id: 'BulkJobWarning' });
export type BulkJobWarning = z.output<typeof BulkJobWarning>;

export const maxBulkJobWarnings = 10;

export const BulkJob = z
  .object({
    jobId: z.string().describe('Id of the job, as in GET /popsvc/v1/pop/dynamic/bulk/jobs/{jobId}.'),
    status: z
      .enum(['queued', 'processing', 'completed', 'failed', 'partially_completed'])
      .describe(
        'completed: all rows accepted. partially_completed: rows failed or the file was not read to its end. failed: none accepted.',
      ),
    totalRows: z
      .int()
      .optional()
      .describe('Rows of the file, as far as they were read; present once the file was read or the job ended.'),
    processedRows: z.int().describe('Rows that were accepted.'),
    errorRows: z.int().describe('Rows that failed.'),
    quarantinedRows: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Rows in quarantine, which become plays when a mapping can convert them, except those with the code too_old. Absent if there are none, ' +
          'and while the service has not counted them, which can last some seconds after the end of the job.',
      ),
    errors: z
      .array(
        z.object({
          row: z.int().describe('Data row of the file, from 1.'),
          error: z.string().describe('Why the row failed.'),
        }),
      )
      .readonly()
      .describe('The first 1,000 rows that failed.'),
    startedAt: instant.describe('Start of processing; before that, the time at which the job was queued.'),
    completedAt: instant.nullable().describe('When the job ended; null before.'),
    bytesRead: z.int().describe('Approximate number of bytes read so far.'),
    sizeBytes: z.int().describe('Size of the file.'),
    delimiter: z
      .enum(CSV_DELIMITERS)
      .optional()
      .describe('Delimiter of a CSV file, as requested or detected from its header row.'),
    warnings: z
      .array(BulkJobWarning)
      .readonly()
      .optional()
      .describe(
        `The first ${maxBulkJobWarnings} rows of a CSV file that have a quoted field over several lines; absent before the job has ended, and when there are none.`,
      ),
    warningCount: z.int().min(1).optional().describe('Number of such rows.'),
    message: z
      .string()
      .optional()
      .describe('Why the job failed, or why the file was not read to its end, or that all rows wait in quarantine.'),
  })
  .meta({ id: 'BulkJob' });
export type BulkJob = z.output<typeof BulkJob>;

export const BULK_FORMATS = ['ndjson', 'json', 'csv'] as const;
export type BulkFormat = (typeof BULK_FORMATS)[number];

/** Values of the HTTP header `Content-Encoding` that uploads may have. */
export const CONTENT_CODINGS = ['gzip', 'zstd'] as const;
export type ContentCoding = (typeof CONTENT_CODINGS)[number];

export const bulkContentTypes: Readonly<Record<BulkFormat, string>> = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};
