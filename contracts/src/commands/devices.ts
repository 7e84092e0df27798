import { z } from 'zod';
import { instantMs, InstantText } from '../time/index.ts';
import { AGE_CATEGORIES, APP_STATES, describeVocabulary, GENDERS, MOODS, POPULATIONS } from '../vocabulary/index.ts';

const Id = z.int().min(1);

const AppCode = z.string().min(1).max(200);

const Watch = z.strictObject({
  startedAt: InstantText.describe('When the person began to watch; not before the detection.'),
  endedAt: InstantText.describe('When the person looked away; not after the detection.'),
});
const dayMs = 86_400_000;

/** One person or vehicle in front of a device, as a vendor sends it; `watches` are the times when it looked at the screen. */
export const Detection = z
  .strictObject({
    detectionId: z
      .string()
      .min(1)
      .max(200)
      .describe('Your id of the detection; the same id again is a new version of it.'),
    revision: z
      .int()
      .min(0)
      .optional()
      .describe('A higher revision replaces a lower one. Of equal revisions, the later request counts; default 0.'),
    deviceId: Id.describe('The device in front of which it was: the detection counts for the plays of its screens.'),
    feederId: Id.optional().describe('The feeder that saw it. Whether it belongs to the device is not checked.'),
    cameraId: Id.optional().describe('The camera that saw it; by default the only camera of the feeder.'),
    watcherId: z
      .int()
      .describe(
        'Your number for the person or vehicle; an integer of at most 53 bits. Reports count people by different numbers, over all ' +
          'devices and days: never use a number again for another person.',
      ),
    reid: z
      .string()
      .max(200)
      .optional()
      .describe('Your token for a person whom your system recognizes again; shown in reports, not used otherwise.'),
    startedAt: InstantText.describe('Start of the detection.'),
    endedAt: InstantText.describe('End of the detection; at most 24 h after its start.'),
    gender: z.string().max(50).optional().describe(describeVocabulary('Gender', GENDERS)),
    age: z
      .union([z.number().min(0).max(1_000), z.string().max(50)])
      .optional()
      .describe('Age in years, or a range such as `25-34`; reports show it as sent.'),
    ageCategory: z
      .string()
      .max(50)
      .optional()
      .describe(`${describeVocabulary('Age category', AGE_CATEGORIES)} By default, it is derived from the age.`),
    mood: z.string().max(50).optional().describe(describeVocabulary('Mood', MOODS)),
    distance: z.array(z.number()).max(1_000).optional().describe('Measured distances, in metres.'),
    watches: z.array(Watch).max(1_000).describe('Watch intervals within the detection; empty if there were none.'),
    population: z.enum(POPULATIONS).optional().describe('What was detected; default VIEWER.'),
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

export const Heartbeat = z
  .strictObject({
    deviceId: Id.optional().describe('The device; not together with feederId.'),
    feederId: Id.optional().describe('The feeder; not together with deviceId.'),
    appCode: AppCode.optional().describe('The app on the device.'),
    state: z.enum(APP_STATES).optional().describe('State of the app; default running.'),
    at: InstantText.describe('Time of the heartbeat.'),
  })
  .superRefine(({ deviceId, feederId, appCode, state }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (deviceId === undefined && feederId === undefined) refuse('deviceId', 'is required without feederId');
    if (deviceId !== undefined && feederId !== undefined)
      refuse('feederId', 'must not be given together with deviceId');
    if (appCode !== undefined && deviceId === undefined) refuse('appCode', 'requires deviceId');
    if (state !== undefined && appCode === undefined) refuse('state', 'requires appCode');
  });
export type Heartbeat = z.output<typeof Heartbeat>;

export const Interval = z
  .strictObject({
    deviceId: Id.describe('The device that the app is on.'),
    appCode: AppCode.describe('The app on the device.'),
    state: z.enum(APP_STATES).describe('State of the app in the interval.'),
    startedAt: InstantText.describe(
      'Start of the interval; the same device, app and start again is a new version of it.',
    ),
    endedAt: InstantText.nullish().describe('Null or absent while the interval lasts.'),
    lastHeartbeatAt: InstantText.nullish().describe('Last heartbeat of the app in this state.'),
    revision: z
      .int()
      .min(0)
      .optional()
      .describe('Between otherwise equal intervals the higher revision wins; default 0.'),
  })
  .superRefine(({ startedAt, endedAt, lastHeartbeatAt }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const [start, end, last] = [startedAt, endedAt, lastHeartbeatAt].map((text) =>
      text === null || text === undefined ? undefined : instantMs(text),
    );
    if (start === undefined) return;
    if (end !== undefined && end < start) refuse('endedAt', 'must not be before startedAt');
    if (last === undefined) return;
    if (last < start) refuse('lastHeartbeatAt', 'must not be before startedAt');
    if (end !== undefined && last > end) refuse('lastHeartbeatAt', 'must not be after endedAt');
  });
export type Interval = z.output<typeof Interval>;
