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
