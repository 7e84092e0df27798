import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { LIVENESS_KINDS } from '../vocabulary/index.ts';

const network_id = z.int().min(1).describe('The network that the notice is about.');
const vendor = z.string().describe('Code of the vendor.');
const day = z.iso.date().describe('The UTC day.');
const subject = {
  network_id,
  kind: z.enum(LIVENESS_KINDS).describe('Whether the outage is of a device or of a feeder.'),
  id: z.int().describe('Id of the device or feeder.'),
};
const offline_at = Instant.describe('Start of the outage: 300 s after the last heartbeat was received.');

/** The reports whose UTC days become final, as the notice `report_day.final` announces. */
export const FINAL_REPORTS = ['coffee', 'watcher-summary'] as const;
export type FinalReport = (typeof FINAL_REPORTS)[number];

const defineNotice = <const Type extends string, Data extends z.ZodType>(type: Type, about: string, data: Data) =>
  z
    .object({
      type: z.literal(type).describe('Determines the fields of `data`.'),
      timestamp: Instant.describe('When it happened, not when it is delivered.'),
      data: data.describe('What the notice is about.'),
    })
    .meta({ description: about });

const JobFinished = defineNotice(
  'job.finished',
  'A bulk job has ended.',
  z.object({
    network_id,
    vendor,
    job_id: z.string().describe('The bulk job, as in GET /popsvc/v1/pop/dynamic/bulk/jobs/{jobId}.'),
    status: z
      .enum(['completed', 'partially_completed', 'failed'])
      .describe('partially_completed: rows failed, or the file was not read to its end. failed: no row was accepted.'),
    total_rows: z.int().nullable().describe('Null if the end of the file was not reached.'),
    processed_rows: z.int().describe('Rows that were accepted.'),
    error_rows: z.int().describe('Rows that failed.'),
  }),
).meta({ id: 'JobFinishedNotice' });

const OutageOpened = defineNotice(
  'outage.opened',
  'A device or feeder sent no heartbeat for 300 s.',
  z.object({
    ...subject,
    offline_at,
    last_received_at: Instant.describe('When the last heartbeat was received.'),
  }),
).meta({ id: 'OutageOpenedNotice' });

const OutageClosed = defineNotice(
  'outage.closed',
  'A device or feeder that was offline sent a heartbeat.',
  z.object({
    ...subject,
    offline_at,
    online_at: Instant.describe('End of the outage: when the heartbeat that ended it was received.'),
  }),
).meta({ id: 'OutageClosedNotice' });

const ReportDayFinal = defineNotice(
  'report_day.final',
  'Everything received within REPORT_FINAL_HOURS after the end of a UTC day is in the reports. Days are reported in order.',
  z.object({ network_id, day }),
).meta({ id: 'ReportDayFinalNotice' });

const ReportDayRestated = defineNotice(
  'report_day.restated',
  'Rows of a final day changed. Sent at most once an hour for each day.',
  z.object({ network_id, day, reports: z.array(z.enum(FINAL_REPORTS)).min(1).describe('The reports that changed.') }),
).meta({ id: 'ReportDayRestatedNotice' });

const QuarantineGrowing = defineNotice(
  'quarantine.growing',
  'More than QUARANTINE_ALERT_ROWS events or rows of a vendor that were received in an hour wait in quarantine. Sent once an hour.',
  z.object({
    network_id,
    vendor,
    hour: Instant.describe('Start of the hour of receipt.'),
    quarantined: z.int().min(1).describe('Events and rows in quarantine when the notice was made.'),
    threshold: z.int().min(1).describe('The configured QUARANTINE_ALERT_ROWS.'),
  }),
).meta({ id: 'QuarantineGrowingNotice' });

const VendorSilent = defineNotice(
  'vendor.silent',
  'No play of a vendor was received for VENDOR_SILENT_MINUTES of opening hours. Sent once, until plays are received again.',
  z.object({
    network_id,
    vendor,
    silent_since: Instant.describe('End of the hour in which its last play was received.'),
  }),
).meta({ id: 'VendorSilentNotice' });

const notices = [
  JobFinished,
  OutageOpened,
  OutageClosed,
  ReportDayFinal,
  ReportDayRestated,
  QuarantineGrowing,
  VendorSilent,
] as const;

export const Notice = z.discriminatedUnion('type', notices).meta({ id: 'Notice' });
export type Notice = z.output<typeof Notice>;

const TestNotice = defineNotice(
  'test',
  'The subscription was tested. Sent only on request, whatever the types of the subscription.',
  z.object({ network_id }),
).meta({ id: 'TestNotice' });
export type TestNotice = z.output<typeof TestNotice>;

/** The body of the request to a subscriber. Test notices are not stored in the log. */
export const WebhookPayload = z
  .discriminatedUnion('type', [...notices, TestNotice])
  .meta({ id: 'WebhookPayload', description: 'A notice: the body of the request to a subscriber.' });
export type WebhookPayload = z.output<typeof WebhookPayload>;
export type NoticeType = Notice['type'];
export type NoticeOf<Type extends NoticeType> = Extract<Notice, { type: Type }>;

export const NOTICE_TYPES = [
  'job.finished',
  'outage.opened',
  'outage.closed',
  'report_day.final',
  'report_day.restated',
  'quarantine.growing',
  'vendor.silent',
] as const satisfies readonly NoticeType[];

/** Each of these notices is about a single vendor. */
export const VENDOR_NOTICE_TYPES = [
  'job.finished',
  'quarantine.growing',
  'vendor.silent',
] as const satisfies readonly NoticeType[];
