export { createDeliveries } from './deliver.ts';
export { followNotices } from './webhooks.ts';
