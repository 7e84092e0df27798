export { createDeliveries, createDeliveryMetrics, type DeliveriesDependencies } from './deliver.ts';
export { followNotices, webhooksName, webhookStreams } from './fan-out.ts';
export { runWebhooks } from './webhook-process.ts';
