export { createLivenessMetrics } from '../projections/liveness/liveness-process.ts';
export { createRelayMetrics } from '../projections/relay/relay-process.ts';
export { batchMetrics } from './batch-metrics.ts';
export { type ServiceFigures, serviceMetrics } from './service-metrics.ts';
