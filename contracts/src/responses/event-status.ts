import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { PLAY_REFERENCES } from './event-warnings.ts';
import { PLAY_REASONS, POP_TYPES, QUARANTINE_CODES } from '../vocabulary/index.ts';

export const RECEIPT_OUTCOMES = ['stored', 'duplicate', 'conflict', 'quarantined'] as const;
export type ReceiptOutcome = (typeof RECEIPT_OUTCOMES)[number];

export const EVENT_STATUSES = ['accepted', 'projected', 'quarantined'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** Why rows of the coffee report, which lists plays with their audience, are derived later. */
export const WAITING_REASONS = ['derived_row_budget'] as const;

export const maxListedReceipts = 100;

const count = z.int().min(0);

const Receipt = z.object({
  receivedAt: Instant.describe('When the service received the request.'),
  recordedAt: Instant.describe('When the event was durably appended to the log.'),
  outcome: z
    .enum(RECEIPT_OUTCOMES)
    .describe(
      'stored: the first receipt of this id; it defines the play. duplicate: the same content again; counted once. conflict: other ' +
        'content under the same id; the first receipt counts. quarantined: it cannot be converted to a play yet, see reason.',
    ),
  late: z.boolean().describe('Received more than 14 days after the play.'),
  clockAhead: z.boolean().describe('The play began more than 60 s after its receipt: check your clock.'),
  code: z.enum(QUARANTINE_CODES).optional().describe('Code of the reason of a quarantine.'),
  reason: z.string().optional().describe('Reason of a quarantine: the field and its problem.'),
  releasedAt: Instant.optional().describe('When the event left quarantine.'),
  schemaVersion: z.string().optional().describe('Present for an event in your own schema.'),
  jobId: z.string().optional().describe('Bulk job of the event.'),
  row: z.int().optional().describe('Row of the bulk file, from 1.'),
});

const Play = z.object({
  playedAt: Instant.describe('Start of the play.'),
  durationMs: z.int().describe('Length of the play in milliseconds.'),
  screenId: z.string().describe('Your id of the screen.'),
  campaignId: z.string().describe('Your id of the campaign.'),
  creativeId: z.string().describe('Your id of the creative.'),
  playReason: z
    .enum(PLAY_REASONS)
    .describe('In the vocabulary of this service; unknown if the value sent has no equivalent.'),
  contentHash: z
    .string()
    .describe(
      'SHA-256 of the content in the canonical schema, as hexadecimal digits; see POST /popsvc/v1/pop/reconcile.',
    ),
  deviceId: z.int().nullable().describe('Null while the screen is not registered or the play is not projected.'),
  siteId: z.int().nullable().describe('Site of the device when the play began; null if deviceId is.'),
});

export const EventPathParams = z.object({ eventId: z.string().describe('As you sent it, percent-encoded.') });

export const EventStatusReport = z
  .object({
    eventId: z.string().describe('As in the path, decoded.'),
    status: z
      .enum(EVENT_STATUSES)
      .describe(
        'accepted: the event is a play and will soon be in the reports. projected: it is in the reports. quarantined: no receipt ' +
          'could be converted to a play yet; the event is stored and retried automatically.',
      ),
    counts: z
      .object({
        received: count.describe('Receipts with this event id.'),
        stored: count.describe('Receipts that define the play.'),
        duplicate: count.describe('Receipts with the same content as the play.'),
        conflict: count.describe('Receipts with other content than the play.'),
        quarantined: count.describe('Receipts that wait in quarantine.'),
      })
      .describe('All receipts; received is the sum of the others.'),
    receipts: z.array(Receipt).describe(`The first ${maxListedReceipts}, in the order in which they were recorded.`),
    play: Play.optional().describe('The current play; absent while every receipt is quarantined.'),
    unresolved: z
      .array(z.enum(PLAY_REFERENCES))
      .describe(
        'Fields of the play whose id is not registered. Reports lack the names until it is; then the field is no longer listed here.',
      ),
    coffeeRows: count.describe(
      'Rows of the coffee report for this play: one per detected person, or one without a person.',
    ),
    popTypes: z.array(z.enum(POP_TYPES)).describe('Population types of these rows.'),
    projectedAt: Instant.nullable().describe('When these rows were projected.'),
    waiting: z
      .enum(WAITING_REASONS)
      .optional()
      .describe(
        'Why an accepted event is not projected yet. derived_row_budget: your network has used its rows of this UTC day; the event ' +
          'is stored and is projected from the next day on.',
      ),
  })
  .meta({ id: 'EventStatusReport' });
export type EventStatusReport = z.output<typeof EventStatusReport>;
