export {
  assertAllAcknowledgedStored,
  assertCheckpointsOnlyGrew,
  assertNothingParked,
  type Append,
  assertTablesMatchLog,
  checkpointHistorySql,
  createAppender,
  readLivePositions,
  waitUntilCaughtUp,
} from './read-model-oracle.ts';
export { createFaultWindow, planFaults } from './faults.ts';
export { classifyStatus } from './deliver.ts';
export { measureFlatness, describeGrowth, slope } from './flatness.ts';
export { createLedger } from './ledger.ts';
export { createProcessRuns, findProcesses, processNames, type Sample } from './processes.ts';
export { startRepeating } from './traffic.ts';
export { parseSoakOptions } from './run-soak.ts';
export { createVendor } from './vendor.ts';
export { createReportChecker } from './report-checker.ts';
export { soakNetworks } from './networks.ts';
