export { createLivenessMetrics } from '../projections/liveness/liveness-process.ts';
export { createRelayMetrics } from '../projections/relay/relay-process.ts';
export { createBatchMetrics } from './batch-metrics.ts';
export { type StoreMetricsDependencies, registerStoreMetrics } from './store-metrics.ts';
