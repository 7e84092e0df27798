import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { POPULATIONS } from '../vocabulary/index.ts';
import { type DataOf, defineListEvent, type ItemOf } from './event-definition.ts';

const RecordedDetection = z.object({
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
});

export const DetectionsRecorded = defineListEvent('DetectionsRecorded', {
  about: 'Devices detected persons (or vehicles) in front of them; with the watch periods of each.',
  schema: z.object({ detections: z.array(RecordedDetection) }),
  list: 'detections',
  itemSchema: RecordedDetection,
  example: {
    detections: [
      {
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
    ],
  },
});
export type DetectionsRecorded = DataOf<typeof DetectionsRecorded>;
export type RecordedDetection = ItemOf<typeof DetectionsRecorded>;
