import {
  createClient,
  type Detection,
  type Heartbeat,
  type Interval,
  type Play,
  type PushResult,
} from '@popsvc/client';

export interface PushTarget {
  readonly ingestUrl: string;
  readonly apiKey: string;
}

/** Pushes the items of one request and retries until the service has answered. Resolves with the number of accepted items. */
export type Push<Item = object> = (items: readonly Item[]) => Promise<number>;

/** One function for each kind of item that vendors push. */
export interface VendorPushes {
  readonly plays: Push<Play>;
  readonly detections: Push<Detection>;
  readonly heartbeats: Push<Heartbeat>;
  readonly intervals: Push<Interval>;
}

/** The kinds of items that vendors push. */
export type IntakeName = keyof VendorPushes;

const retryTimeoutMs = 5 * 60_000;
const timeoutMs = 60_000;

const countOf = async (result: Promise<PushResult>): Promise<number> => (await result).eventCount;

/** Creates the functions that push items of a vendor, with a longer retry timeout than the client's default. */
export const createVendorPushes = (target: PushTarget): VendorPushes => {
  const client = createClient({ ...target, retryTimeoutMs, timeoutMs });
  return {
    plays: (plays) => countOf(client.recordPlays(plays)),
    detections: (detections) => countOf(client.recordDetections(detections)),
    heartbeats: (heartbeats) => countOf(client.recordHeartbeats(heartbeats)),
    intervals: (intervals) => countOf(client.recordIntervals(intervals)),
  };
};
