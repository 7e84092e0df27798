export {
  type BulkUpload,
  type CommandResult,
  countLineEnds,
  createBulkClient,
  createPopsvcCommand,
  createTestPartner,
  type Popsvc,
  popsvcBin,
  waitUntil,
} from './clients.ts';
export { holdUploads } from './held-uploads.ts';
export { createRandom, type Random } from './random.ts';
export { addCleanUp, endRun, endSpec, shareForRun, temporaryFolder } from './run-cleanup.ts';
export { nameRunFolder, removeStaleRuns } from './stale-runs.ts';
export {
  type DemoCredentials,
  findSecrets,
  readCommandLine,
  readProcessTree,
  type Service,
  startService,
} from './service-process.ts';
export { median, quantile } from './statistics.ts';
