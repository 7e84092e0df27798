export { hashWhileReading } from './attempt-job.ts';
export { WorkerConfig } from './config.ts';
export { ingestFile, maxConcurrentAppends } from './ingest-file.ts';
export { JobFencedError, readJob } from './job-log.ts';
export { createDefectCheck, findMapping } from './mapping.ts';
export { createProjectionBackpressure, type ProjectionBackpressure } from './projection-backpressure.ts';
export { createWorkerMetrics, withRowMinuteCounts } from './metrics.ts';
export { chunkRows, createRowsEventFactory, type RowProgress } from './rows.ts';
export { createWorker, runJob, type Worker, type WorkerDependencies } from './worker.ts';
