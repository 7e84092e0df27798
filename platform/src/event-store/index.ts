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
export { highestPosition, lowestPosition } from './positions.ts';
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
  StoreRight,
} from './port.ts';
export { grantRights, type SystemSettings } from './system-settings.ts';
