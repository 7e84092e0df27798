export {
  EventStoreRejected,
  EventStoreUnavailable,
  type RejectionReason,
  StreamDeleted,
  WrongExpectedVersion,
} from './errors.ts';
export { type EstimateLag, createLagMeter } from './lag-meter.ts';
export { LogDensity, type ObservedSpan } from './log-density.ts';
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
