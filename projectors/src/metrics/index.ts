export { createLivenessMetrics } from '../projections/liveness/liveness-process.ts';
export { createNoticeMetrics } from '../notices/notice-process.ts';
export { createDeliveryMetrics } from '../webhooks/deliver.ts';
export { createRelayMetrics } from '../projections/relay/relay-process.ts';
export { createBatchMetrics } from './batch-metrics.ts';
export { type StoreMetricsDependencies, registerStoreMetrics } from './store-metrics.ts';
