export { canonicalHeartbeat } from './canonical-heartbeat.ts';
export { canonicalInterval } from './canonical-interval.ts';
export { afterRecorded, type Change, heard, type Liveness, silent, type Step } from './liveness.ts';
export { livenessChange, livenessEvent, livenessEventId } from './liveness-events.ts';
export { type Arrival, onlineMs, promptMs, type SignOfLife, signOfLife, type Subject } from './sign-of-life.ts';
export { type Outage, type StandingOutage, standingOutages } from './standing-outages.ts';
