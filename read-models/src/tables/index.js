export { bulkJobs } from './bulk-jobs.table.js';
export { coffee } from './coffee.table.js';
export { detections, detectionSpans, observations } from './detections.table.js';
export { feederBeats, feederPlaces } from './feeders.table.js';
export { heartbeats } from './heartbeats.table.js';
export { intervals } from './intervals.table.js';
export { backfilledBeats, liveness, outages } from './liveness.tables.js';
export { coffeeThresholds, devicePlaces, screenPlaces, watcherThresholds } from './places.table.js';
export { plays, playSpans } from './plays.table.js';
export { progress } from './progress.table.js';
export { quarantine } from './quarantine.table.js';
export { receipts } from './receipts.table.js';
export { registryTables } from './registry.tables.js';
export { standingIntervals } from './standing-intervals.view.js';
export { standingOutages, standingOutagesSql } from './standing-outages.view.js';
export { vendorBalance } from './vendor-balance.view.js';
export { watcherSummary } from './watcher-summary.table.js';
//# sourceMappingURL=index.js.map
