import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

export const IntervalRecorded = defineEvent('IntervalRecorded', {
  about: 'An app on a device was in one state for a period; an interval with the same start replaces an earlier one.',
  schema: z.object({
    deviceId: z.int(),
    appCode: z.string(),
    state: z.enum(APP_STATES),
    startedAt: Instant,
    endedAt: Instant.nullable().describe('Null while the interval lasts.'),
    lastHeartbeatAt: Instant.nullable(),
    revision: z.int(),
  }),
  example: {
    deviceId: 11,
    appCode: 'player',
    state: 'running',
    startedAt: '2026-08-20T06:00:00.000Z',
    endedAt: null,
    lastHeartbeatAt: '2026-08-20T14:03:00.000Z',
    revision: 0,
  },
});
export type IntervalRecorded = DataOf<typeof IntervalRecorded>;
