import { z } from 'zod';
import { BULK_FORMATS } from '../bulk/index.ts';
import { SchemaVersion } from './pop.ts';

const longestSeconds = 86_400;

const isName = (name: string): boolean => name !== '.' && name !== '..' && !/[/\\\p{Cc}\p{Surrogate}]/u.test(name);

export const RequestUpload = z.strictObject({
  fileName: z
    .string()
    .min(1)
    .max(255)
    .refine(isName, 'must be a name, not a path')
    .describe('Name of the file, without a path; shown in the list of jobs.'),
  format: z.enum(BULK_FORMATS).describe('Format of the file; determines the Content-Type of the upload.'),
  expiresInSeconds: z.int().min(1).max(longestSeconds).default(3_600).describe('How long the upload URL is valid.'),
});
export type RequestUpload = z.output<typeof RequestUpload>;

export const StartBulkIngest = z.strictObject({
  fileId: z.string().min(1).max(100).describe('As returned with the upload URL.'),
  schemaVersion: SchemaVersion,
  metadata: z
    .looseObject({
      header: z.unknown().optional().describe('The boolean false: the CSV has no header row.'),
      delimiter: z
        .unknown()
        .optional()
        .describe('Of a CSV: `,`, `;` or a tab. Absent: detected from the header row; without a header row, a comma.'),
    })
    .optional()
    .describe('Any key-value pairs; stored with the job.'),
});
export type StartBulkIngest = z.output<typeof StartBulkIngest>;
