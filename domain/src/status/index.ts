export { toHeartbeatRecorded } from './canonical-heartbeat.ts';
export { toIntervalRecorded } from './canonical-interval.ts';
export {
  applyRecordedChange,
  type LivenessChange,
  applyReceipt,
  type Liveness,
  applySilence,
  type LivenessTransition,
} from './liveness.ts';
export { readLivenessChange, toLivenessEvent, livenessEventId } from './liveness-events.ts';
export {
  type HeartbeatTimes,
  onlineWindowMs,
  promptAppendMs,
  type ClassifiedHeartbeat,
  classifyHeartbeat,
  type LivenessSubject,
} from './sign-of-life.ts';
export { type Outage, type EffectiveOutage, effectiveOutages } from './standing-outages.ts';
