import { z } from 'zod';
import { SchemaVersion } from './record-dynamic-pop.command.ts';

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
