import { BulkIngestQueued, BulkRowsIngested, bulkJobStream } from '@popsvc/contracts/events';
import { ApiError } from '@popsvc/contracts/errors';
import { foldJob, type Job } from '@popsvc/domain/bulk';
import type { EventStore } from '@popsvc/platform/event-store';

type Log = Pick<EventStore, 'readStream'>;

const nobody = (): ApiError => new ApiError('NOT_FOUND', 'There is no bulk job of this id.');

/** A job as its stream tells it, and when it was queued; refused when there is none. */
export const loggedJob = async (store: Log, id: string): Promise<{ job: Job; queuedMs: number }> => {
  let job: Job | undefined;
  let queuedMs = 0;
  for await (const event of store.readStream(bulkJobStream(id))) {
    job = foldJob(job, event);
    if (event.type === BulkIngestQueued.type) queuedMs = event.recordedAtMs;
  }
  if (!job) throw nobody();
  return { job, queuedMs };
};

export const requireJob = async (store: Log, id: string): Promise<void> => {
  for await (const _ of store.readStream(bulkJobStream(id), { max: 1 })) return;
  throw nobody();
};

/** Every bad row of a job, a JSON object a line, as the log has them: never all in memory. */
export async function* badRows(store: Log, id: string): AsyncGenerator<string> {
  for await (const { type, data, metadata } of store.readStream(bulkJobStream(id))) {
    if (type !== BulkRowsIngested.type) continue;
    const { errors } = BulkRowsIngested.read(data, metadata.schemaVersion);
    if (errors.length > 0) yield errors.map((error) => `${JSON.stringify(error)}\n`).join('');
  }
}
