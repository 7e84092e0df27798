import { z } from 'zod';
import { BULK_FORMATS, BulkJob } from '../bulk/index.ts';
import { Instant } from '../time/index.ts';
import { nextBefore, withEnvelope } from './envelope.ts';

/** A bulk job in the list of a vendor's jobs. */
export const VendorJob = BulkJob.omit({ errors: true, warnings: true, warningCount: true })
  .extend({
    fileName: z.string().describe('As in the request for the upload URL.'),
    format: z.enum(BULK_FORMATS).describe('Format of the file.'),
    schemaVersion: z.string().describe('Your name for the schema of the rows.'),
    queuedAt: Instant.describe('When the job was queued.'),
  })
  .meta({ id: 'VendorJob' });
export type VendorJob = z.output<typeof VendorJob>;

/** A page of a vendor's own bulk jobs. */
export const VendorJobs = withEnvelope(
  z.object({
    count: z.int().min(0).describe('Jobs in this page.'),
    rows: z.array(VendorJob).describe('Newest first.'),
    next_before: nextBefore,
  }),
).meta({ id: 'VendorJobs' });
export type VendorJobs = z.output<typeof VendorJobs>;
