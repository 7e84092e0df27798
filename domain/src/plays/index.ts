export { playFlags, type PlayFlags, refuseAhead, refusePlayedAt } from './age-limits.ts';
export { canonicalDetection } from './canonical-detection.ts';
export { canonicalPlay, contentOf } from './canonical-play.ts';
