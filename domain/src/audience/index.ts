export { feederOnlineWindowMs, mergeWatches } from './audience.ts';
