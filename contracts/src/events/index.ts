export { allEvents, findEventDefinition, streamPrefixesOf } from './catalogue.ts';
export {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
  UploadClaimed,
  UploadExpired,
  UploadReceived,
  UploadRequested,
} from './bulk.events.ts';
export {
  type DataOf,
  defineEvent,
  type EventDefinition,
  EventMetadata,
  type EventOf,
  PublishedEvent,
  upcaster,
} from './event-definition.ts';
export { DetectionRecorded } from './detections.events.ts';
export { HeartbeatRecorded } from './heartbeats.events.ts';
export { IntervalRecorded } from './intervals.events.ts';
export { DynamicPopRecorded, PopRecorded } from './plays.events.ts';
export { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from './liveness.events.ts';
export { MappingRegistered, QuarantineRetried } from './mappings.events.ts';
export { ParkedEventsDiscarded, ParkedEventsRetried, ProbeEmitted } from './operations.events.ts';
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
