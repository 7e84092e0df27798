import { z } from 'zod';
import { InstantText } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';
import { AppCode, Id } from './fields.ts';

/** A sign of life of a device, of an app on it, or of a feeder, as their vendor sends it (decisions 4.7). */
export const Heartbeat = z
  .strictObject({
    deviceId: Id.optional().describe('The device; not beside feederId.'),
    feederId: Id.optional().describe('The feeder; not beside deviceId.'),
    appCode: AppCode.optional().describe('The app on the device.'),
    state: z.enum(APP_STATES).optional().describe('Of the app; default running.'),
    at: InstantText.describe('When it was alive.'),
  })
  .superRefine(({ deviceId, feederId, appCode, state }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (deviceId === undefined && feederId === undefined) refuse('deviceId', 'is required where there is no feederId');
    if (deviceId !== undefined && feederId !== undefined) refuse('feederId', 'must not stand beside deviceId');
    if (appCode !== undefined && deviceId === undefined) refuse('appCode', 'needs a deviceId');
    if (state !== undefined && appCode === undefined) refuse('state', 'needs an appCode');
  });
export type Heartbeat = z.output<typeof Heartbeat>;
