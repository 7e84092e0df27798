export { playTimeFlags, type PlayTimeFlags, checkNotAhead, checkPlayedAt } from './age-limits.ts';
export {
  canonicalContent,
  toDetectionRecorded,
  toHeartbeatRecorded,
  toIntervalRecorded,
  toPopRecorded,
} from './canonical-events.ts';
