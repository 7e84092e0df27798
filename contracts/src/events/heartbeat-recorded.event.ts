import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';
import { type DataOf, defineEvent } from './define-event.ts';

export const HeartbeatRecorded = defineEvent('HeartbeatRecorded', {
  about: 'A device, an app on it, or a feeder said that it is alive. It names a device or a feeder, never both.',
  schema: z.object({
    deviceId: z.int().optional(),
    feederId: z.int().optional(),
    appCode: z.string().optional(),
    state: z.enum(APP_STATES).optional().describe('Of the app; written out whenever an app is named.'),
    at: Instant,
  }),
  example: { deviceId: 11, appCode: 'player', state: 'running', at: '2026-08-20T14:03:00.000Z' },
});
export type HeartbeatRecorded = DataOf<typeof HeartbeatRecorded>;
