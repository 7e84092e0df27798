import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { type DataOf, defineListEvent, type ItemOf } from './event-definition.ts';

const RecordedPlay = z.object({
  eventId: z.string(),
  screenId: z.string(),
  siteId: z.string().optional(),
  campaignId: z.string(),
  creativeId: z.string(),
  playedAt: Instant,
  durationMs: z.int(),
  startReason: z.string().optional(),
  impressions: z.looseObject({}).optional(),
  context: z.looseObject({}).optional(),
  device: z.looseObject({}).optional(),
});

export const PlaysRecorded = defineListEvent('PlaysRecorded', {
  about: 'A vendor reported plays of creatives on screens, in the canonical schema.',
  schema: z.object({ plays: z.array(RecordedPlay) }),
  list: 'plays',
  itemSchema: RecordedPlay,
  example: {
    plays: [
      {
        eventId: 'play-000001',
        screenId: 'screen-1',
        campaignId: 'C-100',
        creativeId: 'CR-1',
        playedAt: '2026-08-20T14:03:07.250Z',
        durationMs: 10_000,
        startReason: 'scheduled',
      },
    ],
  },
});
export type PlaysRecorded = DataOf<typeof PlaysRecorded>;
export type RecordedPlay = ItemOf<typeof PlaysRecorded>;

const schemaVersion = z.string().describe("The vendor's name for its schema.");
const event = z.looseObject({}).describe('As sent.');
const maxAgeDays = z.int().optional().describe('The age limit in force at receipt; absent: no limit.');
const jobId = z.string();
const row = z.int().describe('From 1, over the data rows of the file.');

const RecordedDynamicPlay = z.object({
  schemaVersion,
  event,
  maxAgeDays,
  bulk: z.object({ jobId, row }).optional(),
});

const toDynamicPlay = (
  element: unknown,
  { schemaVersion: version, maxAgeDays: limit, bulk }: Readonly<Record<string, unknown>>,
  index: number,
): unknown => {
  const origin = bulk as { readonly jobId?: unknown; readonly rows?: readonly unknown[] } | undefined;
  return {
    schemaVersion: version,
    event: element,
    ...(limit !== undefined && { maxAgeDays: limit }),
    ...(origin !== undefined && { bulk: { jobId: origin.jobId, row: origin.rows?.[index] } }),
  };
};

export const DynamicPlaysRecorded = defineListEvent('DynamicPlaysRecorded', {
  about: 'A vendor reported plays in its own schema; the projection converts them with a mapping.',
  schema: z.object({
    schemaVersion,
    items: z.array(event),
    maxAgeDays,
    bulk: z
      .object({ jobId, rows: z.array(row).describe('The row of each item.') })
      .optional()
      .describe('Bulk job and rows the items came from.'),
  }),
  list: 'items',
  itemSchema: RecordedDynamicPlay,
  toItem: toDynamicPlay,
  example: {
    schemaVersion: 'playout-1.0',
    items: [{ frameid: '1234567801', startdate: '2026-08-20T14:03:07.250', startutcoffset: '+00:00' }],
    bulk: { jobId: '0b1f1a3e-3f0c-5a55-9a25-6f8a0f5a2f11', rows: [1] },
  },
});
export type DynamicPlaysRecorded = DataOf<typeof DynamicPlaysRecorded>;
export type RecordedDynamicPlay = ItemOf<typeof DynamicPlaysRecorded>;
