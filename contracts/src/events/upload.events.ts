import { z } from 'zod';
import { BULK_FORMATS } from '../bulk/index.ts';
import { Instant } from '../time/index.ts';
import { type DataOf, defineEvent } from './define-event.ts';

const fileId = z.string();

export const UploadRequested = defineEvent('UploadRequested', {
  about: 'A vendor was given an address to upload one file to.',
  schema: z.object({
    fileId,
    fileName: z.string(),
    format: z.enum(BULK_FORMATS),
    contentType: z.string(),
    expiresAt: Instant.describe('Until when the address takes the file.'),
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
  about: 'The file is in the object store, whole.',
  schema: z.object({
    fileId,
    sizeBytes: z.int(),
    sha256: z.string().nullable().describe('Hexadecimal; null when the store took the file without us.'),
    objectKey: z.string().optional().describe('Where it lies, if not where files of this id lie by default.'),
  }),
  example: {
    fileId: '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11',
    sizeBytes: 1_048_576,
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
});
export type UploadReceived = DataOf<typeof UploadReceived>;

export const UploadClaimed = defineEvent('UploadClaimed', {
  about: 'The file goes to a bulk job: it is not replaced and does not expire any more.',
  schema: z.object({
    fileId,
    jobId: z.string(),
    schemaVersion: z.string(),
    metadata: z.looseObject({}).optional().describe('As sent.'),
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
  about: 'The file was not ingested in time; what was uploaded is removed.',
  schema: z.object({ fileId }),
  example: { fileId: '5b0e9a52-9f6e-4d3c-8f42-0b6e6c1f7d11' },
});
export type UploadExpired = DataOf<typeof UploadExpired>;
