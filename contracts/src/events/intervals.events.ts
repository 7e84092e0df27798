import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';
import { type DataOf, defineListEvent, type ItemOf } from './event-definition.ts';

const RecordedInterval = z.object({
  deviceId: z.int(),
  appCode: z.string(),
  state: z.enum(APP_STATES),
  startedAt: Instant,
  endedAt: Instant.nullable().describe('Null while the interval lasts.'),
  lastHeartbeatAt: Instant.nullable(),
  revision: z.int(),
});

export const IntervalsRecorded = defineListEvent('IntervalsRecorded', {
  about: 'Apps on devices were in one state for a period; an interval with the same start replaces an earlier one.',
  schema: z.object({ intervals: z.array(RecordedInterval) }),
  list: 'intervals',
  itemSchema: RecordedInterval,
  example: {
    intervals: [
      {
        deviceId: 11,
        appCode: 'player',
        state: 'running',
        startedAt: '2026-08-20T06:00:00.000Z',
        endedAt: null,
        lastHeartbeatAt: '2026-08-20T14:03:00.000Z',
        revision: 0,
      },
    ],
  },
});
export type IntervalsRecorded = DataOf<typeof IntervalsRecorded>;
export type RecordedInterval = ItemOf<typeof IntervalsRecorded>;
