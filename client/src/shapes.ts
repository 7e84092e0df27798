import type { paths as CommandPaths } from './generated/command-api.ts';
import type { paths as QueryPaths } from './generated/query-api.ts';

export type { CommandPaths, QueryPaths };

/** What a GET answers with status 200. */
type Answer<Path extends keyof QueryPaths> = QueryPaths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;
type Data<Path extends keyof QueryPaths> = Answer<Path> extends { data: infer Inside } ? Inside : never;
type RowOf<Path extends keyof QueryPaths> = Data<Path> extends { rows: (infer Row)[] } ? Row : never;

/** Audience and engagement of a play. */
export type CoffeeRow = RowOf<'/api/v1/coffee'>;
/** Somebody who was seen. */
export type WatcherSummaryRow = RowOf<'/api/v1/watcher-summary'>;
export type DeviceStatus = Data<'/api/v1/devices/status/{id}'>;
export type FeederStatus = Data<'/api/v1/feeders/status/{id}'>;
export type AppUptime = Data<'/api/v1/device-apps/{deviceId}/{appCode}/uptime'>;
/** What counts as impression, glance, view and view-through, since when. */
export type MetricDefinition = RowOf<'/api/v1/metric-definitions'>;

type Sent<Path extends keyof CommandPaths> = CommandPaths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

export type Play = Sent<'/popsvc/v1/pop/events'>['events'][number];
export type DynamicEvent = Sent<'/popsvc/v1/pop/dynamic'>['events'][number];
export type Heartbeat = Sent<'/popsvc/v1/heartbeats'>['heartbeats'][number];
export type Interval = Sent<'/popsvc/v1/intervals'>['intervals'][number];
export type Detection = Sent<'/popsvc/v1/audience/detections'>['detections'][number];

/** How far a file is. */
export type BulkJob =
  CommandPaths['/popsvc/v1/pop/dynamic/bulk/jobs/{jobId}']['get']['responses'][200]['content']['application/json'];
/** What became of an event. */
export type EventFeedback =
  CommandPaths['/popsvc/v1/pop/events/{eventId}']['get']['responses'][200]['content']['application/json'];
