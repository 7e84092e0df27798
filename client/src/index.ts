export { createClient, type PopsvcClient, type RowsOptions } from './create-client.ts';
export type { Clock } from './http/transport.ts';
export { ConnectionError, type ErrorDetail, ServiceError } from './http/errors.ts';
export { contentHash } from './intake/content-hash.ts';
export type { ReconcileCounts, ReconcileEvents, ReconcilePlays } from './intake/reconcile.ts';
export type { IngestFileOptions, IngestOptions, UploadOptions, WaitOptions } from './intake/bulk.ts';
export type { PushResult, RecordOptions } from './intake/recording.ts';
export type { ChangesOptions } from './reports/changes.ts';
export type { Download, DownloadedFile, DownloadOptions } from './reports/downloads.ts';
export type { Page, PageOptions } from './reports/pages.ts';
export { type ReportOptions, type ScopeOptions, type TimeWindow, windows } from './reports/options.ts';
export type { ServiceUrls, ClientOptions, ClientSettings, Credentials } from './settings.ts';
export type {
  AppUptime,
  BulkJob,
  BulkWarning,
  CoffeeChanges,
  CountReconciliation,
  EventReconciliation,
  CoffeeRow,
  DeviceStatus,
  Detection,
  DynamicEvent,
  EventStatus,
  FeederStatus,
  Heartbeat,
  Interval,
  MetricDefinition,
  Play,
  WatcherSummaryChanges,
  WatcherSummaryRow,
} from './types.ts';
export type { StatusOptions, UptimeOptions } from './status.ts';
