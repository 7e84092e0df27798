import { z } from 'zod';
import { BULK_FORMATS } from '../bulk/index.ts';
import { SchemaVersion } from './pop.ts';

const longestSeconds = 86_400;

/** Whether a text names a file and does not lead to one. */
const isName = (name: string): boolean => name !== '.' && name !== '..' && !/[/\\\p{Cc}\p{Surrogate}]/u.test(name);

/** What a vendor says of a file before it is uploaded (service.md 4.8). */
export const RequestUpload = z.strictObject({
  fileName: z.string().min(1).max(255).refine(isName, 'must be a name, not a path'),
  format: z.enum(BULK_FORMATS),
  expiresInSeconds: z.int().min(1).max(longestSeconds).default(3_600).describe('How long the address takes the file.'),
});
export type RequestUpload = z.output<typeof RequestUpload>;

/** Which uploaded file is to be ingested, and how its rows are to be read (service.md 4.9). */
export const StartBulkIngest = z.strictObject({
  fileId: z.string().min(1).max(100).describe('As told with the address of the upload.'),
  schemaVersion: SchemaVersion,
  metadata: z
    .looseObject({ header: z.unknown().optional().describe('false, the boolean: a CSV without header row.') })
    .optional()
    .describe('Any key-value pairs; kept with the job.'),
});
export type StartBulkIngest = z.output<typeof StartBulkIngest>;
