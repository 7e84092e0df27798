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
export { type KnownStatus, type StatusSpan, statusTimeline, type TimelineStatus } from './status-timeline.ts';
export { readLivenessChange, toLivenessEvent, livenessEventId } from './liveness-events.ts';
