export {
  EventStoreRefused,
  EventStoreUnavailable,
  type RefusedFor,
  StreamGone,
  WrongExpectedVersion,
} from './errors.ts';
export { type EstimateLag, createLagMeter } from './lag-meter.ts';
export { LogDensity, type ObservedSpan } from './log-density.ts';
export { openEventStore } from './eventstoredb.ts';
export type {
  Appended,
  EventStore,
  Expected,
  Followed,
  FollowOptions,
  LogEvent,
  MarkOptions,
  NewEvent,
  ReadOptions,
} from './port.ts';
