import { BulkIngestQueued, bulkJobStream } from '@popsvc/contracts/events';
import { foldJob, hasEnded, type Job, jobFromClaim } from '@popsvc/domain/bulk';
import { LRUCache } from 'lru-cache';
import { v5 } from 'uuid';
import { readWithTimeout } from '../intake/event-store-circuit.ts';
import { appendBulkEvent, type BulkDependencies, type LoggedUpload, type StreamDependencies } from './uploads.ts';

/** A file has one job, however often its ingestion is requested. */
export const deriveJobId = (fileId: string): string => v5('bulk-job', fileId);

/** Resolves with false if the job is already queued. */
export const queueJob = async (
  dependencies: BulkDependencies,
  { upload, lastEvent: claimed }: LoggedUpload,
): Promise<boolean> => {
  const data = jobFromClaim(upload);
  const isNew = await appendBulkEvent(dependencies, bulkJobStream(data.jobId), {
    definition: BulkIngestQueued,
    data,
    // `claimed` is the UploadClaimed event, whose metadata name the owner of the job.
    metadata: { ...claimed.metadata, causationId: claimed.id },
    expected: 'no_stream',
  });
  if (isNew) dependencies.metrics.countQueuedJob();
  return isNew;
};

interface CachedJob {
  readonly job: Job;
  readonly nextRevision: bigint;
}

/** A job counts as 5, and each of its row errors as 1. */
const maxCacheSize = 50_000;

export type FindJob = (jobId: string) => Promise<Job | undefined>;

/** Callers poll the status of a job, so recent jobs are cached and only their new events are read. */
export const createJobReader = ({ store, circuit }: StreamDependencies): FindJob => {
  const cache = new LRUCache<string, CachedJob>({
    maxSize: maxCacheSize,
    sizeCalculation: ({ job }) => 5 + job.errors.length,
  });
  const readJob = async (jobId: string): Promise<Job | undefined> => {
    const cached = cache.get(jobId);
    if (cached && hasEnded(cached.job)) return cached.job;
    let { job, nextRevision } = cached ?? { job: undefined, nextRevision: 0n };
    for await (const event of store.readStream(bulkJobStream(jobId), { from: nextRevision })) {
      job = foldJob(job, event);
      nextRevision = event.revision + 1n;
    }
    if (job) cache.set(jobId, { job, nextRevision });
    return job;
  };
  return (jobId) => {
    circuit.requireAvailable();
    return readWithTimeout(circuit, readJob(jobId));
  };
};
