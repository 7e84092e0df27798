export { allEvents, findEventDefinition, isFormerEventType, streamPrefixesOf } from './catalogue.ts';
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
  type EventDefinition,
  EventMetadata,
  isListEvent,
  type ItemOf,
  type ListEventDefinition,
  maxEventItems,
  PublishedEvent,
  upcaster,
} from './event-definition.ts';
export { DetectionsRecorded, type RecordedDetection } from './detections.events.ts';
export { HeartbeatsRecorded, type RecordedHeartbeat } from './heartbeats.events.ts';
export { IntervalsRecorded, type RecordedInterval } from './intervals.events.ts';
export { DynamicPlaysRecorded, PlaysRecorded, type RecordedDynamicPlay, type RecordedPlay } from './plays.events.ts';
export { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from './liveness.events.ts';
export { MappingRegistered, QuarantineRetried } from './mappings.events.ts';
export {
  OperatorActionRecorded,
  ParkedEventsDiscarded,
  ParkedEventsRetried,
  ProbeEmitted,
} from './operations.events.ts';
export { NoticeIssued } from './notices.events.ts';
export { type RegistryChange, registryEventType, type RegistryEventType, registryTypeOf } from './registry.events.ts';
export {
  describePlace,
  formatItemId,
  type ItemPlace,
  lastSequenceAt,
  parseItemId,
  placeOf,
  sequenceOf,
  versionAfter,
} from './sequence.ts';
export {
  auditStream,
  bulkJobStream,
  bulkRowsStream,
  type IntakeKind,
  intakeStream,
  livenessStream,
  mappingStream,
  noticeStream,
  parkingStream,
  probeStream,
  registryStream,
  networkOfStream,
  networkStreamPrefixes,
  streamPrefixes,
  uploadStream,
} from './streams.ts';
