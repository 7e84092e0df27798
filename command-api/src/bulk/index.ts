export { createUploadMetrics } from './metrics.ts';
export { startUploadLifecycle } from './upload-lifecycle.ts';
