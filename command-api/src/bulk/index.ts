export type { BulkParts, Files } from './bulk-parts.ts';
export { jobIdOf } from './start-ingest.ts';
export { keepUploads } from './upload-keeper.ts';
export { uploadMetrics } from './upload-metrics.ts';
