import { randomUUID } from 'node:crypto';
import { type Api, dataOf } from '../http/api.ts';
import type {
  CommandPaths,
  Detection,
  DynamicEvent,
  EventFeedback,
  Heartbeat,
  Interval,
  Play,
  Wire,
} from '../types.ts';

export interface PushWish {
  /** What makes a request that is told again the same request; default: made for this call. Kept by the service for 24 h. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RecordWish extends PushWish {
  /** Only say what is wrong; nothing is stored. */
  readonly validateOnly?: boolean | undefined;
}

/** All of them are on disk. */
export interface Recorded {
  readonly message: string;
  readonly eventCount: number;
  /** Absent when nothing was to be stored. */
  readonly acceptedAt?: string;
}

/** A key made here makes it safe to tell the request again, whatever became of the first try. */
export const pushInit = ({ idempotencyKey = randomUUID(), signal }: PushWish) => ({
  headers: { 'idempotency-key': idempotencyKey },
  ...(signal && { signal }),
});

const recordInit = ({ validateOnly = false, ...wish }: RecordWish) => ({
  ...(validateOnly && { params: { query: { validate_only: true } } }),
  ...pushInit(wish),
});

/** What vendors push: 1 to 1,000 items and at most 5 MiB a call, all or nothing. */
export const recording = (api: () => Api<CommandPaths>) => ({
  recordPlays: async (events: readonly Play[], wish: RecordWish = {}): Promise<Recorded> =>
    dataOf(
      await api().POST('/popsvc/v1/pop/events', { body: { events: events as Wire['plays'] }, ...recordInit(wish) }),
    ),
  recordDynamic: async (
    schemaVersion: string,
    events: readonly DynamicEvent[],
    wish: RecordWish = {},
  ): Promise<Recorded> =>
    dataOf(
      await api().POST('/popsvc/v1/pop/dynamic', {
        body: { schemaVersion, events: events as Wire['dynamic'] },
        ...recordInit(wish),
      }),
    ),
  recordHeartbeats: async (heartbeats: readonly Heartbeat[], wish: RecordWish = {}): Promise<Recorded> =>
    dataOf(
      await api().POST('/popsvc/v1/heartbeats', {
        body: { heartbeats: heartbeats as Wire['heartbeats'] },
        ...recordInit(wish),
      }),
    ),
  recordIntervals: async (intervals: readonly Interval[], wish: RecordWish = {}): Promise<Recorded> =>
    dataOf(
      await api().POST('/popsvc/v1/intervals', {
        body: { intervals: intervals as Wire['intervals'] },
        ...recordInit(wish),
      }),
    ),
  recordDetections: async (detections: readonly Detection[], wish: RecordWish = {}): Promise<Recorded> =>
    dataOf(
      await api().POST('/popsvc/v1/audience/detections', {
        body: { detections: detections as Wire['detections'] },
        ...recordInit(wish),
      }),
    ),
  /** What became of a play of this vendor; a ServiceError of status 404 while nothing is known of it. */
  eventFeedback: async (eventId: string, { signal }: { signal?: AbortSignal } = {}): Promise<EventFeedback> =>
    dataOf(
      await api().GET('/popsvc/v1/pop/events/{eventId}', { params: { path: { eventId } }, ...(signal && { signal }) }),
    ),
});
