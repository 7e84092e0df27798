import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
} from './bulk-ingest.events.ts';
import type { EventDefinition } from './define-event.ts';
import { DetectionRecorded } from './detection-recorded.event.ts';
import { DynamicPopRecorded } from './dynamic-pop-recorded.event.ts';
import { HeartbeatRecorded } from './heartbeat-recorded.event.ts';
import { IntervalRecorded } from './interval-recorded.event.ts';
import { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from './liveness.events.ts';
import { MappingRegistered } from './mapping-registered.event.ts';
import { ParkedEventsDiscarded, ParkedEventsRetried } from './parking.events.ts';
import { PopRecorded } from './pop-recorded.event.ts';
import { ProbeEmitted } from './probe-emitted.event.ts';
import { QuarantineRetried } from './quarantine-retried.event.ts';
import { registryEvents } from './registry.events.ts';
import { UploadClaimed, UploadExpired, UploadReceived, UploadRequested } from './upload.events.ts';

/** Every event the house writes; one line each. */
export const allEvents: readonly EventDefinition[] = [
  PopRecorded,
  DynamicPopRecorded,
  HeartbeatRecorded,
  IntervalRecorded,
  DetectionRecorded,
  UploadRequested,
  UploadReceived,
  UploadClaimed,
  UploadExpired,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
  BulkIngestCompleted,
  BulkIngestPartiallyCompleted,
  BulkIngestFailed,
  MappingRegistered,
  QuarantineRetried,
  DeviceWentOnline,
  DeviceWentOffline,
  FeederWentOnline,
  FeederWentOffline,
  ParkedEventsRetried,
  ParkedEventsDiscarded,
  ProbeEmitted,
  ...registryEvents,
];
