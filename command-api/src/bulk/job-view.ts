import { bulkJobStream } from '@popsvc/contracts/events';
import { foldJob, hasEnded, type Job } from '@popsvc/domain/bulk';
import { LRUCache } from 'lru-cache';
import { withinReason } from '../intake/store-gate.ts';
import type { BulkParts } from './bulk-parts.ts';

interface Seen {
  readonly job: Job;
  readonly next: bigint;
}

/** Jobs with long lists of errors count for more. */
const mostKept = 50_000;

/** Tells of jobs as the log does; what was read of one is kept, since who waits for it asks again and again. */
export const jobView = ({ store, gate }: Pick<BulkParts, 'store' | 'gate'>) => {
  const seen = new LRUCache<string, Seen>({ maxSize: mostKept, sizeCalculation: ({ job }) => 5 + job.errors.length });
  const readOn = async (jobId: string): Promise<Job | undefined> => {
    const before = seen.get(jobId);
    if (before && hasEnded(before.job)) return before.job;
    let { job, next } = before ?? { job: undefined, next: 0n };
    for await (const event of store.readStream(bulkJobStream(jobId), { from: next })) {
      job = foldJob(job, event);
      next = event.revision + 1n;
    }
    if (job) seen.set(jobId, { job, next });
    return job;
  };
  return (jobId: string): Promise<Job | undefined> => {
    gate.pass();
    return withinReason(gate, readOn(jobId));
  };
};
