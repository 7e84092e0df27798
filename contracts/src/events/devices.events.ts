import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { APP_STATES, POPULATIONS } from '../vocabulary/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

export const DetectionRecorded = defineEvent('DetectionRecorded', {
  about: 'A device detected a person (or vehicle) in front of it; with the watch periods of that person.',
  schema: z.object({
    detectionId: z.string(),
    revision: z.int(),
    deviceId: z.int(),
    feederId: z.int().optional(),
    cameraId: z.int().optional(),
    watcherId: z.int(),
    reid: z.string().optional(),
    startedAt: Instant,
    endedAt: Instant,
    gender: z.string().optional(),
    age: z.string().optional(),
    ageCategory: z.string().optional(),
    mood: z.string().optional(),
    distance: z.array(z.number()),
    watches: z.array(z.object({ startedAt: Instant, endedAt: Instant })),
    population: z.enum(POPULATIONS),
  }),
  example: {
    detectionId: 'd-000001',
    revision: 0,
    deviceId: 11,
    feederId: 21,
    watcherId: 7,
    startedAt: '2026-08-20T14:03:06.000Z',
    endedAt: '2026-08-20T14:03:20.400Z',
    gender: 'female',
    ageCategory: 'adult',
    distance: [1.9, 2.4],
    watches: [{ startedAt: '2026-08-20T14:03:08.000Z', endedAt: '2026-08-20T14:03:09.200Z' }],
    population: 'VIEWER',
  },
});
export type DetectionRecorded = DataOf<typeof DetectionRecorded>;

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
