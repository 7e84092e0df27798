import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { type DataOf, defineEvent } from './define-event.ts';

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
