export { createLivenessMetrics } from '../projections/liveness/liveness-metrics.ts';
export { createRelayMetrics } from '../projections/relay/relay-metrics.ts';
export { batchMetrics } from './batch-metrics.ts';
export { type ServiceFigures, serviceMetrics } from './service-metrics.ts';
