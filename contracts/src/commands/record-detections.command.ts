import { z } from 'zod';
import { InstantText, instantMs } from '../time/index.ts';
import { POPULATIONS } from '../vocabulary/index.ts';
import { Id } from './fields.ts';

const Watch = z.strictObject({ startedAt: InstantText, endedAt: InstantText });
const dayMs = 86_400_000;

/** A detection as a device's vendor sends it (decisions 4.7): one person or vehicle, and when it looked. At most 24 h long. */
export const Detection = z
  .strictObject({
    detectionId: z.string().min(1).max(200),
    revision: z.int().min(0).optional().describe('A higher one supersedes; default 0.'),
    deviceId: Id,
    feederId: Id.optional(),
    cameraId: Id.optional(),
    watcherId: z.int().describe('Integer of at most 53 bits.'),
    reid: z.string().max(200).optional(),
    startedAt: InstantText,
    endedAt: InstantText,
    gender: z.string().max(50).optional(),
    age: z.union([z.number().min(0).max(1_000), z.string().max(50)]).optional(),
    ageCategory: z.string().max(50).optional(),
    mood: z.string().max(50).optional(),
    distance: z.array(z.number()).max(1_000).optional().describe('Metres.'),
    watches: z.array(Watch).max(1_000),
    population: z.enum(POPULATIONS).optional(),
  })
  .superRefine(({ startedAt, endedAt, watches }, context) => {
    const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    const [start, end] = [instantMs(startedAt), instantMs(endedAt)];
    if (start === undefined || end === undefined) return;
    if (end < start) refuse(['endedAt'], 'must not be before startedAt');
    if (end - start > dayMs) refuse(['endedAt'], 'must be at most 24 h after startedAt');
    watches.forEach((watch, index) => {
      const [from, to] = [instantMs(watch.startedAt), instantMs(watch.endedAt)];
      if (from === undefined || to === undefined) return;
      if (to < from) refuse(['watches', index, 'endedAt'], 'must not be before startedAt');
      if (from < start) refuse(['watches', index, 'startedAt'], 'must lie within the detection');
      if (to > end) refuse(['watches', index, 'endedAt'], 'must lie within the detection');
    });
  });
export type Detection = z.output<typeof Detection>;
