export { WorkerConfig } from './config.ts';
export { createWorker, type Worker, type WorkerParts } from './create-worker.ts';
export { Fenced } from './job-log.ts';
export { type JobParts, leaseOf, type Outcome, workJob } from './work-job.ts';
export { type WorkerMetrics, workerMetrics } from './worker-metrics.ts';
