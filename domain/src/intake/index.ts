export {
  canonicalContent,
  checkNotAhead,
  checkPlayedAt,
  playTimeFlags,
  type PlayTimeFlags,
  toRecordedDetection,
  toRecordedHeartbeat,
  toRecordedInterval,
  toRecordedPlay,
} from './received-items.ts';
export { findPlayWarnings, type FoundWarnings, type RegisteredIds } from './play-warnings.ts';
