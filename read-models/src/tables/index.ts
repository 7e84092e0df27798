export { bulkJobs } from '../jobs/tables.ts';
export { coffee } from '../coffee/coffee.table.ts';
export {
  detections,
  detectionSpans,
  feederHeartbeats,
  feederPlaces,
  observations,
  plays,
  playSpans,
} from '../facts/tables.ts';
export { currentIntervals, heartbeats, intervals } from '../uptime/tables.ts';
export { backfilledHeartbeats, effectiveOutages, effectiveOutagesSql, liveness, outages } from '../status/tables.ts';
export { coffeeThresholds, devicePlaces, screenPlaces, watcherThresholds } from '../facts/places.tables.ts';
export { progress } from '../shared/progress.table.ts';
export { quarantine, receipts, vendorBalance } from '../receipts/tables.ts';
export { registryTables } from '../registry/tables.ts';
export { watcherSummary } from '../watcher-summary/watcher-summary.table.ts';
