export { playTimeFlags, type PlayTimeFlags, checkNotAhead, checkPlayedAt } from './age-limits.ts';
export { toDetectionRecorded } from './canonical-detection.ts';
export { toPopRecorded, canonicalContent } from './canonical-play.ts';
