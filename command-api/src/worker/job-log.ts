import { randomUUID } from 'node:crypto';
import {
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestStarted,
  bulkJobStream,
  BulkRowsIngested,
  type DataOf,
  type EventDefinition,
} from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { foldJob, type Job, type MultiLineRows } from '@popsvc/domain/bulk';
import {
  type EventStore,
  EventStoreUnavailable,
  type LogEvent,
  type NewEvent,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';
import pRetry from 'p-retry';

export interface LoggedJob {
  readonly job: Job;
  readonly queued: LogEvent;
  /** The next append expects this revision, so only one of two concurrent attempts succeeds. */
  readonly revision: bigint;
  /** Consecutive attempts without recorded progress, including the latest. */
  readonly idleAttempts: number;
}

export const readJob = async (store: Pick<EventStore, 'readStream'>, jobId: string): Promise<LoggedJob | undefined> => {
  let logged: LoggedJob | undefined;
  for await (const event of store.readStream(bulkJobStream(jobId))) {
    const job = foldJob(logged?.job, event);
    if (!job) continue;
    const previousIdleAttempts = logged?.idleAttempts ?? 0;
    const idleAttempts =
      event.type === BulkRowsIngested.type ? 0 : previousIdleAttempts + Number(event.type === BulkIngestStarted.type);
    logged = { job, queued: logged?.queued ?? event, revision: event.revision, idleAttempts };
  }
  return logged;
};

/** Another attempt has appended to the stream and owns the job now. */
export class JobFencedError extends Error {
  override readonly name = 'JobFencedError';
}

export interface JobEvent {
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
}

export const createJobEvent = <Definition extends EventDefinition>(
  { type, version }: Definition,
  data: DataOf<Definition>,
): JobEvent => ({ type, version, data });

interface RowCounts {
  readonly processedRows: number;
  readonly errorRows: number;
  readonly multiLineRows?: MultiLineRows;
}

/** A job without a good row has failed. With good rows, it is partially completed, because they may be in the reports. */
export const createInterruptedEvent = (
  attemptKey: { readonly jobId: string; readonly attempt: number },
  counts: RowCounts,
  reason: string,
): JobEvent => {
  const { processedRows, errorRows } = counts;
  return processedRows === 0
    ? createJobEvent(BulkIngestFailed, { ...attemptKey, ...counts, totalRows: null, reason })
    : createJobEvent(BulkIngestPartiallyCompleted, {
        ...attemptKey,
        ...counts,
        totalRows: processedRows + errorRows,
        reason,
      });
};

export interface JobLog {
  /** Appends all events or none. Throws JobFencedError if another attempt has appended in the meantime. */
  append(...events: readonly JobEvent[]): Promise<void>;
}

export const createJobLog = (
  store: Pick<EventStore, 'append'>,
  { job, revision }: LoggedJob,
  retry: RetryStoreCall,
): JobLog => {
  const { network, vendor, queued } = job;
  const stream = bulkJobStream(queued.jobId);
  let expected = revision;
  return {
    async append(...events) {
      if (events.length === 0) return;
      const receivedAt = instantOf(Date.now());
      const newEvents = events.map(({ type, version, data }): NewEvent => ({
        id: randomUUID(),
        type,
        data,
        metadata: { schemaVersion: version, receivedAt, network, vendor, correlationId: queued.jobId },
      }));
      try {
        // Safe to retry: the event store recognizes the same event ids at the same expected revision.
        ({ revision: expected } = await retry(() => store.append(stream, newEvents, { expected })));
      } catch (error) {
        if (error instanceof WrongExpectedVersion)
          throw new JobFencedError('another attempt runs this job', { cause: error });
        throw error;
      }
    },
  };
};

export type RetryStoreCall = <Done>(call: () => Promise<Done>) => Promise<Done>;

const retries = { retries: Infinity, minTimeout: 100, maxTimeout: 5_000, randomize: true };

/** Repeats calls that fail with EventStoreUnavailable until `isGivenUp` returns true. Throws every other error at once. */
export const createStoreRetry =
  (isGivenUp: () => boolean, log: Log): RetryStoreCall =>
  (call) =>
    pRetry(call, {
      ...retries,
      shouldRetry: ({ error }) => error instanceof EventStoreUnavailable && !isGivenUp(),
      onFailedAttempt({ error: err, attemptNumber }) {
        if (err instanceof EventStoreUnavailable)
          log.warn({ err, attemptNumber }, 'failed to access a bulk job: event store unavailable');
      },
    });
