export { bulkJobs } from '../jobs/bulk-jobs.table.ts';
export { coffee } from '../coffee/coffee.table.ts';
export {
  detections,
  detectionSpans,
  feederHeartbeats,
  feederPlaces,
  observations,
  plays,
  playSpans,
  spanMs,
} from '../facts/facts.tables.ts';
export { currentIntervals, heartbeats, intervals } from '../uptime/uptime.tables.ts';
export {
  backfilledHeartbeats,
  effectiveOutages,
  effectiveOutagesSql,
  liveness,
  outages,
} from '../status/status.tables.ts';
export { coffeeThresholds, devicePlaces, screenPlaces, watcherThresholds } from '../facts/places.tables.ts';
export {
  damagedCause,
  derivedCoffee,
  type DerivedTable,
  derivedWatcherSummary,
  includesNetwork,
  includesNetworkSql,
  type PendingNetworks,
  pendingView,
  replayCause,
} from '../pending/pending.table.ts';
export {
  liveGenerationsView,
  progressOf,
  progressTable,
  progressView,
  writtenPosition,
} from '../declarations/progress.table.ts';
export { projectionNames } from '../declarations/projection-names.ts';
export { quarantine, receipts, vendorBalance } from '../receipts/receipts.tables.ts';
export { registryTables } from '../registry/registry.tables.ts';
export { currentRunSql, durableSinceMacro, verifiedRuns } from '../declarations/verified-runs.ts';
export { watcherSummary } from '../watcher-summary/watcher-summary.table.ts';
export { reportHistory } from '../declarations/report-history.table.ts';
