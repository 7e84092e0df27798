import { z } from 'zod';
import { BULK_FORMATS, CONTENT_CODINGS, CSV_DELIMITERS, maxBulkJobWarnings } from '../bulk/index.ts';
import { Instant } from '../time/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

const jobId = z.string();
const attempt = z.int().min(1);
const row = z.int().min(1).describe('From 1, over the data rows of the file.');
const counts = {
  processedRows: z.int().describe('Rows stored as events that the mapping can convert to plays, since the start.'),
  errorRows: z
    .int()
    .describe('Rows that are unreadable or that the mapping cannot convert to a play, since the start.'),
};
const delimiter = z.enum(CSV_DELIMITERS).optional().describe('Of a CSV file; absent in earlier releases: a comma.');
const example = { jobId: '0b1f1a3e-3f0c-5a55-9a25-6f8a0f5a2f11', attempt: 1 };

export const BulkIngestQueued = defineEvent('BulkIngestQueued', {
  about: 'A vendor requested the ingestion of an uploaded file.',
  schema: z.object({
    jobId,
    fileId: z.string(),
    objectKey: z.string().optional().describe('Key in the object store; absent: the default key of the file id.'),
    fileName: z.string(),
    format: z.enum(BULK_FORMATS),
    schemaVersion: z.string(),
    metadata: z.looseObject({}).optional().describe('As sent.'),
    delimiter,
    sizeBytes: z.int(),
    sha256: z.string().nullable(),
    maxAgeDays: z.int().optional(),
  }),
  example: {
    jobId: example.jobId,
    fileId: '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11',
    fileName: 'plays.ndjson',
    format: 'ndjson',
    schemaVersion: 'flat-1',
    sizeBytes: 1_048_576,
    sha256: null,
  },
});
export type BulkIngestQueued = DataOf<typeof BulkIngestQueued>;

export const BulkIngestStarted = defineEvent('BulkIngestStarted', {
  about: 'A worker started the job, or resumed it after another worker failed; earlier attempts are fenced off.',
  schema: z.object({
    jobId,
    attempt,
    worker: z.string(),
    mappingVersion: z.int().nullable().describe('The mapping in force when the job started; null without one.'),
    sha256: z.string().describe('Hash of the file when the job started.'),
  }),
  example: { ...example, worker: 'worker-1', mappingVersion: 1, sha256: 'e3b0c442' },
});
export type BulkIngestStarted = DataOf<typeof BulkIngestStarted>;

export const BulkRowsIngested = defineEvent('BulkRowsIngested', {
  about: 'All rows up to `toRow` are processed; the next attempt continues after it.',
  schema: z.object({
    jobId,
    attempt,
    toRow: row,
    nextRevision: z.int().describe('Number of events in the stream of rows.'),
    bytesRead: z.int().describe('Approximate number of bytes of the file read so far.'),
    ...counts,
    errors: z.array(z.object({ row, error: z.string() })).describe('Failed rows since the previous event.'),
  }),
  example: {
    ...example,
    toRow: 2_000,
    nextRevision: 1_999,
    bytesRead: 840_000,
    processedRows: 1_999,
    errorRows: 1,
    errors: [{ row: 17, error: 'is not JSON' }],
  },
});
export type BulkRowsIngested = DataOf<typeof BulkRowsIngested>;

const line = z.int().min(1).describe('Of the file, from 1.');
const multiLineRows = z
  .object({
    count: z.int().min(1),
    first: z
      .array(z.object({ row, fromLine: line, toLine: line }))
      .readonly()
      .describe(`The first ${maxBulkJobWarnings}.`),
  })
  .optional()
  .describe('Rows of a CSV file with a quoted field over several lines; absent without any.');
const ended = z.object({ jobId, attempt, totalRows: z.int(), ...counts, multiLineRows });

export const BulkIngestCompleted = defineEvent('BulkIngestCompleted', {
  about: 'Every row of the file was stored.',
  schema: ended,
  example: { ...example, totalRows: 20_000, processedRows: 20_000, errorRows: 0 },
});
export type BulkIngestCompleted = DataOf<typeof BulkIngestCompleted>;

export const BulkIngestPartiallyCompleted = defineEvent('BulkIngestPartiallyCompleted', {
  about: 'Some rows were stored; others failed, or the file could not be read to its end.',
  schema: ended.extend({
    totalRows: z.int().describe('Rows of the file, as far as it is readable.'),
    reason: z.string().optional().describe('Why the file could not be read to its end; absent otherwise.'),
  }),
  example: { ...example, totalRows: 20_000, processedRows: 19_999, errorRows: 1 },
});
export type BulkIngestPartiallyCompleted = DataOf<typeof BulkIngestPartiallyCompleted>;

export const BulkIngestFailed = defineEvent('BulkIngestFailed', {
  about: 'No row was stored, or every row failed.',
  schema: ended.extend({
    totalRows: z.int().nullable().describe('Null when the end of the file was not reached.'),
    reason: z.string(),
  }),
  example: { ...example, totalRows: null, processedRows: 0, errorRows: 0, reason: 'The file is empty.' },
});
export type BulkIngestFailed = DataOf<typeof BulkIngestFailed>;

const fileId = z.string();

export const UploadRequested = defineEvent('UploadRequested', {
  about: 'A vendor received a URL for the upload of one file.',
  schema: z.object({
    fileId,
    fileName: z.string(),
    format: z.enum(BULK_FORMATS),
    contentType: z.string(),
    expiresAt: Instant.describe('Expiry of the upload URL.'),
  }),
  example: {
    fileId: '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11',
    fileName: 'plays.ndjson',
    format: 'ndjson',
    contentType: 'application/x-ndjson',
    expiresAt: '2026-08-20T15:00:00.000Z',
  },
});
export type UploadRequested = DataOf<typeof UploadRequested>;

export const UploadReceived = defineEvent('UploadReceived', {
  about: 'The file is completely stored in the object store.',
  schema: z.object({
    fileId,
    sizeBytes: z.int().describe('Size of the stored file, which is not compressed.'),
    sha256: z
      .string()
      .nullable()
      .describe('Of the stored file, hexadecimal; null when it was uploaded directly to the object store.'),
    sent: z
      .object({ contentEncoding: z.enum(CONTENT_CODINGS), sizeBytes: z.int(), sha256: z.string() })
      .optional()
      .describe('The bytes sent, for a file that was sent compressed.'),
    objectKey: z.string().optional().describe('Key in the object store; absent: the default key of the file id.'),
  }),
  example: {
    fileId: '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11',
    sizeBytes: 1_048_576,
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
});
export type UploadReceived = DataOf<typeof UploadReceived>;

export const UploadClaimed = defineEvent('UploadClaimed', {
  about: 'A bulk job uses the file: it can no longer be replaced and does not expire.',
  schema: z.object({
    fileId,
    jobId: z.string(),
    schemaVersion: z.string(),
    metadata: z.looseObject({}).optional().describe('As sent.'),
    delimiter,
    missingColumns: z
      .array(z.object({ field: z.string(), column: z.string(), isNeeded: z.boolean() }))
      .readonly()
      .optional()
      .describe('Columns that the mapping in force reads and that the header row does not have; absent without any.'),
    assumedHeader: z
      .string()
      .optional()
      .describe(
        'The first 200 characters of a row that was taken for the header row without a mapping or `metadata.header`.',
      ),
    maxAgeDays: z.int().optional(),
  }),
  example: {
    fileId: '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11',
    jobId: '0b1f1a3e-3f0c-5a55-9a25-6f8a0f5a2f11',
    schemaVersion: 'flat-1',
  },
});
export type UploadClaimed = DataOf<typeof UploadClaimed>;

export const UploadExpired = defineEvent('UploadExpired', {
  about: 'The file was not ingested in time; the uploaded data is removed.',
  schema: z.object({ fileId }),
  example: { fileId: '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11' },
});
export type UploadExpired = DataOf<typeof UploadExpired>;
