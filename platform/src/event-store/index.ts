export {
  EventStoreRejected,
  EventStoreUnavailable,
  type RejectionReason,
  StreamDeleted,
  WrongExpectedVersion,
} from './errors.ts';
export { createLagMeter, type EstimateLag, LogDensity, type ObservedSpan } from './lag-meter.ts';
export { openEventStore } from './eventstoredb.ts';
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
