import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

export const HeartbeatRecorded = defineEvent('HeartbeatRecorded', {
  about: 'Heartbeat of a device, of an app on a device, or of a feeder. It names a device or a feeder, never both.',
  schema: z.object({
    deviceId: z.int().optional(),
    feederId: z.int().optional(),
    appCode: z.string().optional(),
    state: z.enum(APP_STATES).optional().describe('State of the app; present whenever an app is named.'),
    at: Instant,
  }),
  example: { deviceId: 11, appCode: 'player', state: 'running', at: '2026-08-20T14:03:00.000Z' },
});
export type HeartbeatRecorded = DataOf<typeof HeartbeatRecorded>;
