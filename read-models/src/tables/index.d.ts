export { bulkJobs } from './bulk-jobs.table.ts';
export { coffee } from './coffee.table.ts';
export { detections, detectionSpans, observations } from './detections.table.ts';
export { feederBeats, feederPlaces } from './feeders.table.ts';
export { heartbeats } from './heartbeats.table.ts';
export { intervals } from './intervals.table.ts';
export { backfilledBeats, liveness, outages } from './liveness.tables.ts';
export { coffeeThresholds, devicePlaces, screenPlaces, watcherThresholds } from './places.table.ts';
export { plays, playSpans } from './plays.table.ts';
export { progress } from './progress.table.ts';
export { quarantine } from './quarantine.table.ts';
export { receipts } from './receipts.table.ts';
export { registryTables } from './registry.tables.ts';
export { standingIntervals } from './standing-intervals.view.ts';
export { standingOutages, standingOutagesSql } from './standing-outages.view.ts';
export { vendorBalance } from './vendor-balance.view.ts';
export { watcherSummary } from './watcher-summary.table.ts';
//# sourceMappingURL=index.d.ts.map
