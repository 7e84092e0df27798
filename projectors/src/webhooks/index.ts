export { createDeliveries } from './deliver.ts';
export { followNotices } from './fan-out.ts';
