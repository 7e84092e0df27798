import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';
import { type DataOf, defineListEvent, type ItemOf } from './event-definition.ts';

const RecordedHeartbeat = z.object({
  deviceId: z.int().optional(),
  feederId: z.int().optional(),
  appCode: z.string().optional(),
  state: z.enum(APP_STATES).optional().describe('State of the app; present whenever an app is named.'),
  at: Instant,
});

export const HeartbeatsRecorded = defineListEvent('HeartbeatsRecorded', {
  about: 'Heartbeats of devices, of apps on devices, or of feeders. Each names a device or a feeder, never both.',
  schema: z.object({ heartbeats: z.array(RecordedHeartbeat) }),
  list: 'heartbeats',
  itemSchema: RecordedHeartbeat,
  example: {
    heartbeats: [{ deviceId: 11, appCode: 'player', state: 'running', at: '2026-08-20T14:03:00.000Z' }],
  },
});
export type HeartbeatsRecorded = DataOf<typeof HeartbeatsRecorded>;
export type RecordedHeartbeat = ItemOf<typeof HeartbeatsRecorded>;
