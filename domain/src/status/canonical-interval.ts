import type { Interval } from '@popsvc/contracts/commands';
import type { IntervalRecorded } from '@popsvc/contracts/events';
import { toUtcInstant } from '../plays/utc.ts';

const utcOrNull = (instant: string | null | undefined): string | null =>
  instant === undefined || instant === null ? null : toUtcInstant(instant);

/** An interval as the log keeps it: instants in UTC with milliseconds, what is left out written as null or 0. */
export const toIntervalRecorded = (interval: Interval): IntervalRecorded => ({
  deviceId: interval.deviceId,
  appCode: interval.appCode,
  state: interval.state,
  startedAt: toUtcInstant(interval.startedAt),
  endedAt: utcOrNull(interval.endedAt),
  lastHeartbeatAt: utcOrNull(interval.lastHeartbeatAt),
  revision: interval.revision ?? 0,
});
