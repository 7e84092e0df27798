import {
  createClient,
  type Detection,
  type Heartbeat,
  type Interval,
  type Play,
  type PushResult,
} from '@popsvc/client';

export interface Target {
  readonly ingestUrl: string;
  readonly apiKey: string;
}

/** What vendors push. */
export type IntakeName = 'plays' | 'detections' | 'heartbeats' | 'intervals';

/** Sends one request until the service has answered it. Resolves with how many the service took in: all, or it is refused. */
export type Push<Item = object> = (items: readonly Item[]) => Promise<number>;

export interface VendorPushes {
  readonly plays: Push<Play>;
  readonly detections: Push<Detection>;
  readonly heartbeats: Push<Heartbeat>;
  readonly intervals: Push<Interval>;
}

const retryTimeoutMs = 5 * 60_000;
const timeoutMs = 60_000;

const counted = async (recorded: Promise<PushResult>): Promise<number> => (await recorded).eventCount;

/** A vendor that pushes as others do, and is more patient. */
export const vendorPushes = (target: Target): VendorPushes => {
  const client = createClient({ ...target, retryTimeoutMs, timeoutMs });
  return {
    plays: (plays) => counted(client.recordPlays(plays)),
    detections: (detections) => counted(client.recordDetections(detections)),
    heartbeats: (heartbeats) => counted(client.recordHeartbeats(heartbeats)),
    intervals: (intervals) => counted(client.recordIntervals(intervals)),
  };
};
