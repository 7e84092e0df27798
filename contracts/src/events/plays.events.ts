import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

export const PopRecorded = defineEvent('PopRecorded', {
  about: 'A vendor reported that a screen played a creative, in the canonical schema.',
  schema: z.object({
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
  }),
  example: {
    eventId: 'play-000001',
    screenId: 'screen-1',
    campaignId: 'C-100',
    creativeId: 'CR-1',
    playedAt: '2026-08-20T14:03:07.250Z',
    durationMs: 10_000,
    startReason: 'scheduled',
  },
});
export type PopRecorded = DataOf<typeof PopRecorded>;

export const DynamicPopRecorded = defineEvent('DynamicPopRecorded', {
  about: 'A vendor reported a play in its own schema; the projection converts it with a mapping.',
  schema: z.object({
    schemaVersion: z.string().describe("The vendor's name for its schema."),
    event: z.looseObject({}).describe('As sent.'),
    maxAgeDays: z.int().optional().describe('The age limit in force at receipt; absent: no limit.'),
    bulk: z
      .object({ jobId: z.string(), row: z.int().describe('From 1, over the data rows of the file.') })
      .optional()
      .describe('Bulk job and row the event came from.'),
  }),
  example: {
    schemaVersion: 'playout-1.0',
    event: { frameid: '1234567801', startdate: '2026-08-20T14:03:07.250', startutcoffset: '+00:00' },
    bulk: { jobId: '0b1f1a3e-3f0c-5a55-9a25-6f8a0f5a2f11', row: 1 },
  },
});
export type DynamicPopRecorded = DataOf<typeof DynamicPopRecorded>;
