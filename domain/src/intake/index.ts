export {
  canonicalContent,
  checkNotAhead,
  checkPlayedAt,
  playTimeFlags,
  type PlayTimeFlags,
  toDetectionRecorded,
  toHeartbeatRecorded,
  toIntervalRecorded,
  toPopRecorded,
} from './received-items.ts';
