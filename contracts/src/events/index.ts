export { allEvents } from './all.ts';
export {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
} from './bulk-ingest.events.ts';
export { findEventDefinition } from './catalogue.ts';
export { type DataOf, defineEvent, type EventDefinition, type EventOf, upcaster } from './define-event.ts';
export { DetectionRecorded } from './detection-recorded.event.ts';
export { DynamicPopRecorded } from './dynamic-pop-recorded.event.ts';
export { HeartbeatRecorded } from './heartbeat-recorded.event.ts';
export { IntervalRecorded } from './interval-recorded.event.ts';
export { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from './liveness.events.ts';
export { MappingRegistered } from './mapping-registered.event.ts';
export { EventMetadata } from './metadata.ts';
export { ParkedEventsDiscarded, ParkedEventsRetried } from './parking.events.ts';
export { PopRecorded } from './pop-recorded.event.ts';
export { streamPrefixesOf } from './prefixes-of.ts';
export { ProbeEmitted } from './probe-emitted.event.ts';
export { PublishedEvent } from './published-event.ts';
export { QuarantineRetried } from './quarantine-retried.event.ts';
export {
  type RegistryChange,
  registryChanges,
  registryEvents,
  registryEventType,
  type RegistryEventType,
  registryTypeOf,
} from './registry.events.ts';
export {
  bulkJobStream,
  bulkRowsStream,
  type IntakeKind,
  intakeStream,
  livenessStream,
  mappingStream,
  parkingStream,
  probeStream,
  registryStream,
  streamPrefixes,
  uploadStream,
} from './streams.ts';
export { UploadClaimed, UploadExpired, UploadReceived, UploadRequested } from './upload.events.ts';
