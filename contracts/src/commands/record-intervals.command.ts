import { z } from 'zod';
import { InstantText, instantMs } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';
import { AppCode, Id } from './fields.ts';

/** How long an app on a device was in one state, as its vendor sends it (decisions 4.7). The same start again supersedes. */
export const Interval = z
  .strictObject({
    deviceId: Id,
    appCode: AppCode,
    state: z.enum(APP_STATES),
    startedAt: InstantText,
    endedAt: InstantText.nullish().describe('Null or absent while it lasts.'),
    lastHeartbeatAt: InstantText.nullish().describe('When the app was last heard in this state.'),
    revision: z.int().min(0).optional().describe('Among equals a higher one supersedes; default 0.'),
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
