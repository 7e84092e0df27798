export { type AttemptWindow, findStoredIds } from './earlier-attempts.ts';
export { createIdempotentHandler, type ExecuteRequest } from './idempotency.ts';
export { createIntakeMetrics } from './metrics.ts';
export { createMinuteCounts } from './minute-counts.ts';
export { createRefusalCounts } from './refusal-counts.ts';
export { deriveEventIds, deriveRequestIdentity } from './request-events.ts';
export { defaultIntakeTimeouts } from './timeouts.ts';
