export { createLivenessMetrics } from '../projections/liveness/monitor.ts';
export { createNoticeMetrics } from '../notices/notice-monitor.ts';
export { createDeliveryMetrics } from '../webhooks/deliver.ts';
export { createRelayMetrics } from '../projections/relay/relay.ts';
export { createBatchMetrics } from './batch-metrics.ts';
export { type StoreMetricsDependencies, registerStoreMetrics } from './store-metrics.ts';
