export { eventIds, requestIdentity } from './event-ids.ts';
export { type IntakeMetrics, intakeMetrics } from './intake-metrics.ts';
export { storedAlready, type Tries } from './stored-already.ts';
