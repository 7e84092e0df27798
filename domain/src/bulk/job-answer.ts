import type { BulkJob } from '@popsvc/contracts/bulk';
import { instantOf } from '@popsvc/contracts/time';
import type { Job } from './job.ts';

/** A job as its vendor is told of it. */
export const toBulkJobResponse = (job: Job): BulkJob => {
  const { queued, status, totalRows, processedRows, errorRows, errors, bytesRead, reason } = job;
  return {
    jobId: queued.jobId,
    status,
    ...(totalRows !== undefined && { totalRows }),
    processedRows,
    errorRows,
    errors,
    startedAt: instantOf(job.startedAtMs),
    completedAt: job.completedAtMs === undefined ? null : instantOf(job.completedAtMs),
    bytesRead: Math.min(bytesRead, queued.sizeBytes),
    sizeBytes: queued.sizeBytes,
    ...(reason !== undefined && { message: reason }),
  };
};
