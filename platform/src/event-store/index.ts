export {
  EventLogDamaged,
  EventStoreRejected,
  EventStoreUnavailable,
  type RejectionReason,
  StreamDeleted,
  WrongExpectedVersion,
} from './errors.ts';
export { createLagMeter, type EstimateLag, LogDensity, type ObservedSpan } from './lag-meter.ts';
export { type EventStoreOptions, openEventStore } from './eventstoredb.ts';
export { createEventStoreMetrics, type EventStoreMetrics } from './metrics.ts';
export type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  SubscriptionItem,
  SubscribeOptions,
  LogEvent,
  NewEvent,
  ReadStreamOptions,
} from './port.ts';
