export { createClient, type PopsvcClient, type RowsWish } from './create-client.ts';
export type { Clock } from './http/transport.ts';
export { ConnectionError, type ErrorDetail, ServiceError } from './http/errors.ts';
export type { IngestWish, UploadWish, WaitWish } from './intake/bulk.ts';
export type { Recorded, RecordWish } from './intake/recording.ts';
export type { Download, Downloaded, DownloadWish } from './reports/downloads.ts';
export type { Page, PageWish } from './reports/pages.ts';
export { type ReportWish, type Scoped, type TimeWindow, windows } from './reports/options.ts';
export type { Addresses, Behaviour, ClientSettings, Credentials } from './settings.ts';
export type {
  AppUptime,
  BulkJob,
  CoffeeRow,
  DeviceStatus,
  Detection,
  DynamicEvent,
  EventFeedback,
  FeederStatus,
  Heartbeat,
  Interval,
  MetricDefinition,
  Play,
  WatcherSummaryRow,
} from './types.ts';
export type { PlacesWish, UptimeWish } from './status.ts';
