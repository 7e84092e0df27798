import { BulkIngestStarted, bulkJobStream, BulkRowsIngested } from '@popsvc/contracts/events';
import { foldJob, type Job } from '@popsvc/domain/bulk';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';

/** A job and where its stream stands. */
export interface JobInLog {
  readonly job: Job;
  readonly queued: LogEvent;
  /** Of the last event that is known: whoever writes next does so right after it, or is fenced off. */
  readonly revision: bigint;
  /** How many attempts in a row have come to nothing. */
  readonly idleAttempts: number;
}

/** Undefined when the log tells of no such job. */
export const readJob = async (store: Pick<EventStore, 'readStream'>, jobId: string): Promise<JobInLog | undefined> => {
  let found: JobInLog | undefined;
  for await (const event of store.readStream(bulkJobStream(jobId))) {
    const job = foldJob(found?.job, event);
    if (!job) continue;
    const before = found?.idleAttempts ?? 0;
    const idleAttempts =
      event.type === BulkRowsIngested.type ? 0 : before + Number(event.type === BulkIngestStarted.type);
    found = { job, queued: found?.queued ?? event, revision: event.revision, idleAttempts };
  }
  return found;
};
