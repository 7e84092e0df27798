import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';
import { type DataOf, defineEvent } from './define-event.ts';

export const IntervalRecorded = defineEvent('IntervalRecorded', {
  about:
    'An app on a device was in one state from then on; told again with the same start it supersedes what was told.',
  schema: z.object({
    deviceId: z.int(),
    appCode: z.string(),
    state: z.enum(APP_STATES),
    startedAt: Instant,
    endedAt: Instant.nullable().describe('Null while it lasts.'),
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
