import { z } from 'zod';
import { BULK_FORMATS, BulkJob } from '../bulk/index.ts';
import { Instant } from '../time/index.ts';
import { nextBefore, withEnvelope } from './envelope.ts';

/** A bulk job in the list of a vendor's jobs. */
export const VendorJob = BulkJob.omit({ errors: true, warnings: true, warningCount: true })
  .extend({
    fileName: z.string(),
    format: z.enum(BULK_FORMATS),
    schemaVersion: z.string(),
    queuedAt: Instant,
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
