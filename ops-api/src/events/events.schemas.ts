import { EVENT_STATUSES, RECEIPT_OUTCOMES } from '@popsvc/contracts/responses';
import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';
import { BalanceHour } from './balance.ts';

const count = z.int().min(0);
const position = z.string().describe('In the log.');
const vendorFields = { network_id: z.int().min(1), vendor: z.string() };
const nextBefore = z.string().nullable().describe('What to send as `before` for the next page; null on the last.');

const RawEventSchema = z
  .object({
    stream: z.string(),
    type: z.string(),
    revision: z.string(),
    data: z.unknown(),
    metadata: z.looseObject({}),
  })
  .describe('As stored in the log.');

const ShownReceipt = z.object({
  position,
  received_at: Instant,
  recorded_at: Instant,
  outcome: z.enum(RECEIPT_OUTCOMES),
  late: z.boolean(),
  clock_ahead: z.boolean(),
  released_at: Instant.optional(),
  released_by_mapping: z.int().optional().describe('Version of the mapping.'),
  waited_because: z.string().optional(),
  schema_version: z.string().optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
  raw: RawEventSchema.nullable(),
});

export const ShownEvent = z
  .object({
    event_id: z.string(),
    found: z.array(
      z.object({
        ...vendorFields,
        status: z.enum(EVENT_STATUSES),
        received: count,
        stored: count,
        duplicate: count,
        conflict: count,
        quarantined: count,
        coffee_rows: count,
        pop_types: z.array(z.string()),
        projected_at: Instant.nullable(),
        receipts: z.array(ShownReceipt),
        balance: z.array(BalanceHour).describe('The hours in which it was received.'),
      }),
    ),
  })
  .meta({ id: 'ShownEvent' });

const ConflictSide = z.object({
  position,
  received_at: Instant,
  type: z.string().nullable(),
  content: z.looseObject({}).nullable().describe('The content as sent; null if the log no longer has it.'),
});

export const ConflictsResponse = z
  .object({
    since: Instant,
    conflicts: z.array(
      z.object({
        ...vendorFields,
        event_id: z.string(),
        differs: z.array(z.string()).describe('Names of the fields that differ.'),
        first: ConflictSide,
        later: ConflictSide,
      }),
    ),
    next_before: nextBefore,
  })
  .meta({ id: 'Conflicts' });

export const QuarantineResponse = z
  .object({
    reasons: z.array(
      z.object({
        ...vendorFields,
        schema_version: z.string(),
        code: z.string(),
        events: count,
        latest_reason: z.string(),
        oldest_received_at: Instant,
        newest_received_at: Instant,
      }),
    ),
    events: z.array(
      z.object({
        position,
        ...vendorFields,
        schema_version: z.string(),
        event_id: z.string().nullable(),
        received_at: Instant,
        code: z.string(),
        reason: z.string(),
        job_id: z.string().nullable(),
        job_row: z.int().nullable(),
        raw: z.string().describe('JSON as sent, truncated if very long.'),
        raw_bytes: count,
      }),
    ),
    next_before: nextBefore,
  })
  .meta({ id: 'Quarantine' });
