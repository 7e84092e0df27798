import {
  createClient,
  type Detection,
  type DynamicEvent,
  type Heartbeat,
  type Interval,
  type Play,
  type PushResult,
} from '@popsvc/client';

export interface PushTarget {
  readonly ingestUrl: string;
  readonly apiKey: string;
}

/** Resolves with the number of accepted items. */
export type Push<Item = object> = (items: readonly Item[]) => Promise<number>;

export interface VendorPushes {
  readonly plays: Push<Play>;
  readonly detections: Push<Detection>;
  readonly heartbeats: Push<Heartbeat>;
  readonly intervals: Push<Interval>;
}

export type IntakeName = keyof VendorPushes;

const retryTimeoutMs = 5 * 60_000;
const timeoutMs = 60_000;

const countOf = async (result: Promise<PushResult>): Promise<number> => (await result).eventCount;

export const createVendorPushes = (target: PushTarget): VendorPushes => {
  const client = createClient({ ...target, retryTimeoutMs, timeoutMs });
  return {
    plays: (plays) => countOf(client.recordPlays(plays)),
    detections: (detections) => countOf(client.recordDetections(detections)),
    heartbeats: (heartbeats) => countOf(client.recordHeartbeats(heartbeats)),
    intervals: (intervals) => countOf(client.recordIntervals(intervals)),
  };
};

export const createDynamicPush = (target: PushTarget, schemaVersion: string): Push<DynamicEvent> => {
  const client = createClient({ ...target, retryTimeoutMs, timeoutMs });
  return (events) => countOf(client.recordDynamic(schemaVersion, events));
};
