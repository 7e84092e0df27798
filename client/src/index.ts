export { createClient, type PopsvcClient, type RowsWish } from './create-client.ts';
export type { Clock } from './http/clock.ts';
export { ConnectionError } from './http/connection-error.ts';
export { type ErrorDetail, ServiceError } from './http/service-error.ts';
export type { IngestWish, UploadWish, WaitWish } from './intake/bulk.ts';
export type { Recorded, RecordWish } from './intake/recording.ts';
export type { Download } from './reports/download.ts';
export type { Downloaded, DownloadWish } from './reports/downloads.ts';
export type { Page, PageWish } from './reports/pages.ts';
export type { ReportWish, Scoped } from './reports/report-wish.ts';
export { type TimeWindow, windows } from './reports/windows.ts';
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
} from './shapes.ts';
export type { PlacesWish, UptimeWish } from './status/statuses.ts';
