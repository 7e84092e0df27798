import { randomUUID } from 'node:crypto';
import { type Api, dataOf } from '../http/api.ts';
import type { paths as CommandPaths } from '../generated/command-api.ts';
import type {
  Detection,
  DynamicEvent,
  EventStatus,
  Heartbeat,
  Interval,
  Play,
  PushResponse,
  RequestItems,
} from '../types.ts';

export interface PushOptions {
  /** Identifies retries of the same request. By default, each call uses a new key. The service remembers keys for 24 h. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RecordOptions extends PushOptions {
  /** Whether to validate the items without storing them. */
  readonly validateOnly?: boolean | undefined;
}

/** The service has durably stored all items of the push. With `validateOnly`, it has stored none, and `acceptedAt` is absent. */
export type PushResult = Readonly<PushResponse>;

/** Creates request options with an idempotency key, which makes retries safe. */
export const pushInit = ({ idempotencyKey = randomUUID(), signal }: PushOptions) => ({
  headers: { 'idempotency-key': idempotencyKey },
  ...(signal && { signal }),
});

const recordInit = ({ validateOnly = false, ...options }: RecordOptions) => ({
  ...(validateOnly && { params: { query: { validate_only: true } } }),
  ...pushInit(options),
});

/** Each push sends 1 to 1,000 items, at most 5 MiB in total. If one item is invalid, the service stores none. */
export const createRecording = (api: () => Api<CommandPaths>) => ({
  recordPlays: async (events: readonly Play[], options: RecordOptions = {}): Promise<PushResult> =>
    dataOf(
      await api().POST('/popsvc/v1/pop/events', {
        body: { events: events as RequestItems['plays'] },
        ...recordInit(options),
      }),
    ),
  recordDynamic: async (
    schemaVersion: string,
    events: readonly DynamicEvent[],
    options: RecordOptions = {},
  ): Promise<PushResult> =>
    dataOf(
      await api().POST('/popsvc/v1/pop/dynamic', {
        body: { schemaVersion, events: events as RequestItems['dynamic'] },
        ...recordInit(options),
      }),
    ),
  recordHeartbeats: async (heartbeats: readonly Heartbeat[], options: RecordOptions = {}): Promise<PushResult> =>
    dataOf(
      await api().POST('/popsvc/v1/heartbeats', {
        body: { heartbeats: heartbeats as RequestItems['heartbeats'] },
        ...recordInit(options),
      }),
    ),
  recordIntervals: async (intervals: readonly Interval[], options: RecordOptions = {}): Promise<PushResult> =>
    dataOf(
      await api().POST('/popsvc/v1/intervals', {
        body: { intervals: intervals as RequestItems['intervals'] },
        ...recordInit(options),
      }),
    ),
  recordDetections: async (detections: readonly Detection[], options: RecordOptions = {}): Promise<PushResult> =>
    dataOf(
      await api().POST('/popsvc/v1/audience/detections', {
        body: { detections: detections as RequestItems['detections'] },
        ...recordInit(options),
      }),
    ),
  /** Reads the processing status of one of this vendor's plays. Throws a ServiceError with status 404 if the play is unknown. */
  eventStatus: async (eventId: string, { signal }: { signal?: AbortSignal } = {}): Promise<EventStatus> =>
    dataOf(
      await api().GET('/popsvc/v1/pop/events/{eventId}', { params: { path: { eventId } }, ...(signal && { signal }) }),
    ),
});
