import { z } from 'zod';
import { Instant } from '../time/index.ts';

/** What became of one receipt of an event. */
export const RECEIPT_OUTCOMES = ['stored', 'duplicate', 'conflict', 'quarantined'] as const;
export type ReceiptOutcome = (typeof RECEIPT_OUTCOMES)[number];

/** One line about an event, as a whole. */
export const EVENT_STATUSES = ['accepted', 'projected', 'quarantined'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** Receipts beyond so many are counted and not listed. */
export const maxListedReceipts = 100;

const count = z.int().min(0);

const Receipt = z.object({
  receivedAt: Instant.describe('When we took the request in.'),
  recordedAt: Instant.describe('When it was in the log, and so safe.'),
  outcome: z
    .enum(RECEIPT_OUTCOMES)
    .describe(
      'stored: the first of this id, the play is what it says. duplicate: the same content again, counted once. conflict: other ' +
        'content under the same id; the first stays. quarantined: it cannot be made a play yet, see reason.',
    ),
  late: z.boolean().describe('Received more than 14 days after the play.'),
  clockAhead: z.boolean().describe('The play began more than 60 s after its receipt: look at your clock.'),
  code: z.string().optional().describe('Why it is quarantined, in one word.'),
  reason: z.string().optional().describe('Why it is quarantined: which field, and what is wrong with it.'),
  releasedAt: Instant.optional().describe('When it left quarantine.'),
  schemaVersion: z.string().optional().describe('Of an event in your own schema.'),
  jobId: z.string().optional().describe('Bulk job it came with.'),
  row: z.int().optional().describe('Row of that file, from 1.'),
});

const Play = z.object({
  playedAt: Instant,
  durationMs: z.int(),
  screenId: z.string(),
  campaignId: z.string(),
  creativeId: z.string(),
  playReason: z.string().describe('In our words; unknown where yours has no equivalent.'),
  deviceId: z.int().nullable().describe('Null while the screen is not registered, or not projected.'),
  siteId: z.int().nullable(),
});

/** Where that stands. */
export const EventPathParams = z.object({ eventId: z.string().describe('As you sent it, percent-encoded.') });

/** What became of an event, as its vendor is told. */
export const EventStatusReport = z
  .object({
    eventId: z.string(),
    status: z
      .enum(EVENT_STATUSES)
      .describe(
        'accepted: it is a play, and the reports will have it in a moment. projected: it is in the reports. quarantined: no receipt ' +
          'of it could be made a play yet; it is kept and tried again by itself.',
      ),
    counts: z
      .object({ received: count, stored: count, duplicate: count, conflict: count, quarantined: count })
      .describe('All receipts; received is the sum of the others.'),
    receipts: z.array(Receipt).describe(`The first ${maxListedReceipts}, in the order in which they were recorded.`),
    play: Play.optional().describe('As it stands; absent while every receipt is quarantined.'),
    coffeeRows: count.describe('Rows of the report coffee it went into: one for each person seen, or one for nobody.'),
    popTypes: z.array(z.string()).describe('Kinds of those rows.'),
    projectedAt: Instant.nullable().describe('When those rows were made.'),
  })
  .meta({ id: 'EventFeedback' });
export type EventStatusReport = z.output<typeof EventStatusReport>;
