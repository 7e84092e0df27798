export { canonicalHeartbeat } from './canonical-heartbeat.ts';
export { canonicalInterval } from './canonical-interval.ts';
