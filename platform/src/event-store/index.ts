export {
  EventStoreRefused,
  EventStoreUnavailable,
  type RefusedFor,
  StreamGone,
  WrongExpectedVersion,
} from './errors.ts';
export { type LagOf, lagMeter } from './lag-meter.ts';
export { LogDensity, type Span } from './log-density.ts';
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
