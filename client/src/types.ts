import type { components as CommandComponents, paths as CommandPaths } from './generated/command-api.ts';
import type { components, paths as QueryPaths } from './generated/query-api.ts';

type ResponseBody<Path extends keyof QueryPaths> = QueryPaths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;
type Data<Path extends keyof QueryPaths> = ResponseBody<Path> extends { data: infer Inside } ? Inside : never;
/** The fields of a page other than its rows, taken from coffee. The pages of all reports have the same fields. */
export type PageFields = Omit<Data<'/api/v1/coffee'>, 'rows'>;
type RowOf<Path extends keyof QueryPaths> = Data<Path> extends { rows: (infer Row)[] } ? Row : never;

/** A row of the coffee report: a play with one of its detections, or a play without detections. */
export type CoffeeRow = RowOf<'/api/v1/coffee'>;
/** A row of the watcher summary: a detection, regardless of what was playing at the time. */
export type WatcherSummaryRow = RowOf<'/api/v1/watcher-summary'>;
/** Changes of a report: rows that are new, changed or withdrawn, and renamed entities such as devices. */
export type CoffeeChanges = Data<'/api/v1/coffee/changes'>;
export type WatcherSummaryChanges = Data<'/api/v1/watcher-summary/changes'>;
export type DeviceStatus = Data<'/api/v1/devices/status/{id}'>;
export type FeederStatus = Data<'/api/v1/feeders/status/{id}'>;
export type AppUptime = Data<'/api/v1/device-apps/{deviceId}/{appCode}/uptime'>;
/** A version of the thresholds for impression, glance, view and view-through, with the time from which it applies. */
export type MetricDefinition = RowOf<'/api/v1/metric-definitions'>;

type Sent<Path extends keyof CommandPaths> = CommandPaths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** Adapts a request type for callers: optional fields may be undefined, and lists may be read-only. */
type Sendable<T> = T extends readonly (infer Item)[]
  ? readonly Sendable<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: object extends Pick<T, Name> ? Sendable<T[Name]> | undefined : Sendable<T[Name]> }
    : T;

export interface RequestItems {
  readonly plays: Sent<'/popsvc/v1/pop/events'>['events'];
  readonly dynamic: Sent<'/popsvc/v1/pop/dynamic'>['events'];
  readonly heartbeats: Sent<'/popsvc/v1/heartbeats'>['heartbeats'];
  readonly intervals: Sent<'/popsvc/v1/intervals'>['intervals'];
  readonly detections: Sent<'/popsvc/v1/audience/detections'>['detections'];
}

export type Play = Sendable<RequestItems['plays'][number]>;
export type DynamicEvent = Sendable<RequestItems['dynamic'][number]>;
export type Heartbeat = Sendable<RequestItems['heartbeats'][number]>;
export type Interval = Sendable<RequestItems['intervals'][number]>;
export type Detection = Sendable<RequestItems['detections'][number]>;

type ReconcileBody = Sent<'/popsvc/v1/pop/reconcile'>;
export interface ReconcileItems {
  readonly body: ReconcileBody;
  readonly events: Sendable<NonNullable<ReconcileBody['events']>>;
  readonly counts: Sendable<NonNullable<ReconcileBody['counts']>>;
}
export type EventReconciliation = CommandComponents['schemas']['EventReconciliation'];
export type CountReconciliation = CommandComponents['schemas']['CountReconciliation'];

/** Responses to a push: 202, or 200 with `validate_only`. */
type PushResponses = CommandPaths['/popsvc/v1/pop/events']['post']['responses'];
export type PushResponse = PushResponses[200]['content']['application/json'] &
  Partial<PushResponses[202]['content']['application/json']>;

export type BulkFormat = Sent<'/popsvc/v1/pop/dynamic/bulk/upload-url'>['format'];
export type DownloadFormat = NonNullable<QueryPaths['/api/v1/coffee/download']['get']['parameters']['query']['format']>;

export type TokenResponse = components['schemas']['Token'];
export type TokenError = components['schemas']['TokenError'];
export type ErrorResponse = components['schemas']['Error'];

export type BulkJob =
  CommandPaths['/popsvc/v1/pop/dynamic/bulk/jobs/{jobId}']['get']['responses'][200]['content']['application/json'];
export type BulkWarning = NonNullable<
  CommandPaths['/popsvc/v1/pop/dynamic/bulk/ingest']['post']['responses'][202]['content']['application/json']['warnings']
>[number];
export type EventStatus =
  CommandPaths['/popsvc/v1/pop/events/{eventId}']['get']['responses'][200]['content']['application/json'];
