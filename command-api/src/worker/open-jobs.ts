import { BulkIngestQueued, streamPrefixes } from '@popsvc/contracts/events';
import { jobEndTypes } from '@popsvc/domain/bulk';
import type { LogEvent } from '@popsvc/platform/event-store';
import { type LeasedSubscriptionDependencies, subscribeWithLease } from '@popsvc/platform/message-bus';
import { type Queryable, storeOpenJobs } from '@popsvc/platform/postgres';

const storeJobs = (client: Queryable, events: readonly LogEvent[]): Promise<void> => {
  const queued = events
    .filter(({ type }) => type === BulkIngestQueued.type)
    .map(({ data, metadata, position }) => {
      const { jobId, sizeBytes } = BulkIngestQueued.read(data, metadata.schemaVersion);
      return { jobId, sizeBytes, network: metadata.network ?? 0, position };
    });
  const ended = events.filter(({ type }) => jobEndTypes.includes(type));
  return storeOpenJobs(
    client,
    queued,
    ended.map(({ data }) => (data as { jobId: string }).jobId),
  );
};

/** One transaction stores the jobs and the position. A PostgreSQL restored from a backup therefore gets the later jobs again. */
export const followJobs = (
  dependencies: LeasedSubscriptionDependencies,
  onStored: () => void,
  signal: AbortSignal,
): Promise<void> =>
  subscribeWithLease(
    dependencies,
    {
      name: 'open-jobs',
      // Frequent probe events keep the stored position moving while jobs are rare.
      prefixes: [streamPrefixes.bulkJob, streamPrefixes.probe],
      maxEvents: 500,
      maxWaitMs: 5,
      inTransaction: storeJobs,
      onMoved: onStored,
    },
    signal,
  );
