export {
  describeHosts,
  type EventStoreConnection,
  type EventStoreLogin,
  filesOf,
  formatConnectionString,
  InvalidConnectionString,
  parseConnectionString,
  usesTls,
} from './connection-string.ts';
export {
  EventLogDamaged,
  EventStoreRejected,
  EventStoreUnavailable,
  type RejectionReason,
  StreamDeleted,
  type UnavailableReason,
  WrongExpectedVersion,
} from './errors.ts';
export { grantAccess, type GrantAccessOptions, type GrantedAccess } from './grant-access.ts';
export { createLagMeter, type EstimateLag, LogDensity, type ObservedSpan } from './lag-meter.ts';
export { type EventStoreOptions, openEventStore } from './eventstoredb.ts';
export { createEventStoreMetrics, type EventStoreMetrics } from './metrics.ts';
export {
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  highestPosition,
  type LogEvent,
  lowestPosition,
  type NewEvent,
  type ReadStreamOptions,
  type StoreRight,
  type SubscribeOptions,
  type SubscriptionItem,
} from './port.ts';
export { grantRights, type SystemSettings } from './system-settings.ts';
