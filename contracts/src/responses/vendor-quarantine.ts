import { z } from 'zod';
import { BULK_FORMATS, BulkJob } from '../bulk/index.ts';
import { Instant } from '../time/index.ts';
import { QUARANTINE_CODES } from '../vocabulary/index.ts';
import { nextBefore, withEnvelope } from './envelope.ts';

export const VendorJob = BulkJob.omit({ errors: true, warnings: true, warningCount: true })
  .extend({
    fileName: z.string().describe('As in the request for the upload URL.'),
    format: z.enum(BULK_FORMATS).describe('Format of the file.'),
    schemaVersion: z.string().describe('Your name for the schema of the rows.'),
    queuedAt: Instant.describe('When the job was queued.'),
  })
  .meta({ id: 'VendorJob' });
export type VendorJob = z.output<typeof VendorJob>;

export const VendorJobs = withEnvelope(
  z.object({
    count: z.int().min(0).describe('Jobs in this page.'),
    rows: z.array(VendorJob).describe('Newest first.'),
    next_before: nextBefore,
  }),
).meta({ id: 'VendorJobs' });
export type VendorJobs = z.output<typeof VendorJobs>;

export const shownContentCharacters = 1_000;

const code = z
  .enum(QUARANTINE_CODES)
  .describe(
    'no_mapping: no mapping is registered for the schema version. missing, unparsable, invalid: a field is absent, has another form ' +
      'than the mapping says, or a value that no play has. no_zone: the screen is not registered, so the time zone of a local time is ' +
      'unknown. skipped_hour: the local time does not exist, because clocks were set forward. too_old: older than the service accepts.',
  );

const QuarantineReason = z.object({
  schemaVersion: z.string().describe('Your name for the schema of the events.'),
  code,
  count: z.int().min(1).describe('Events and rows that wait for this reason.'),
  latestReason: z.string().describe('The reason of the newest of them: the field and its problem.'),
  oldestReceivedAt: Instant.describe('When the oldest of them was received.'),
  newestReceivedAt: Instant.describe('When the newest of them was received.'),
});

const QuarantinedEvent = z
  .object({
    receivedAt: Instant.describe('When the event or row was received.'),
    schemaVersion: z.string().describe('Your name for the schema of the event.'),
    eventId: z.string().nullable().describe('Null while no mapping has found one.'),
    code,
    reason: z.string().describe('The field and its problem.'),
    jobId: z.string().optional().describe('Bulk job of the row.'),
    row: z.int().optional().describe('Row of the bulk file, from 1.'),
    content: z
      .string()
      .describe(`The event or row as JSON text; the first ${shownContentCharacters.toLocaleString('en')} characters.`),
  })
  .meta({ id: 'QuarantinedEvent' });

export const VendorQuarantine = withEnvelope(
  z.object({
    reasons: z
      .array(QuarantineReason)
      .describe('Counts by schema version and code over all pages, most frequent first; at most 200.'),
    count: z.int().min(0).describe('Events in this page.'),
    rows: z.array(QuarantinedEvent).describe('Newest first.'),
    next_before: nextBefore,
  }),
).meta({ id: 'VendorQuarantine' });
export type VendorQuarantine = z.output<typeof VendorQuarantine>;
