export {
  applyReceipt,
  applyRecordedChange,
  applySilence,
  type ClassifiedHeartbeat,
  classifyHeartbeat,
  type HeartbeatTimes,
  type Liveness,
  type LivenessChange,
  type LivenessSubject,
  type LivenessTransition,
  onlineWindowMs,
  promptAppendMs,
} from './liveness.ts';
export { readLivenessChange, toLivenessEvent, livenessEventId } from './liveness-events.ts';
