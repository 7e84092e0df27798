import { BulkIngestQueued } from '@popsvc/contracts/events';
import { hasEnded } from '@popsvc/domain/bulk';
import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import type { Consumer, Delivery, MessageBus } from '@popsvc/platform/message-bus';
import { holdLease, isPostgresUnavailable } from '@popsvc/platform/postgres';
import { runInSpan, type SpanOptions } from '@popsvc/platform/telemetry';
import type { RegistryCache } from '../registry/registry-cache.ts';
import { attemptJob, type JobDependencies, type JobOutcome } from './attempt-job.ts';
import { maxConcurrentAppends } from './ingest-file.ts';
import { JobFencedError, type LoggedJob, readJob } from './job-log.ts';
import { countJobSlots, createJobSlots } from './job-slots.ts';
import { createProjectionBackpressure } from './projection-backpressure.ts';
import { createTurns } from './turns.ts';

export interface WorkerDependencies extends Omit<JobDependencies, 'turns' | 'backpressure'> {
  /** Returns the projected log positions, see `createProjectionBackpressure`. */
  readonly readProjectedPositions: () => Promise<ReadonlyMap<number, bigint>>;
  readonly registryCache: Pick<RegistryCache, 'registry' | 'requireReady'>;
  /** The buses that deliver jobs. Several buses may deliver the same job. */
  readonly buses: readonly MessageBus[];
  /** Maximum number of jobs with large files that this process runs at a time. */
  readonly maxLargeJobs: number;
}

export interface Worker {
  /** Stops accepting jobs and interrupts the running ones after their progress is recorded. */
  stop(): Promise<void>;
}

/**
 * If a worker dies, its job is delivered again after this time. The next worker must also wait until the dead worker's lease of
 * 15 s has expired.
 */
const ackTimeoutMs = 6_000;
const createConsumer = (maxInFlight: number): Consumer => ({
  name: 'bulk-worker',
  types: [BulkIngestQueued.type],
  ackTimeoutMs,
  // Practically unlimited: `maxIdleAttempts` decides when a job fails, not the number of deliveries.
  maxDeliveries: 1_000_000,
  maxInFlight,
});

/** Number of deliveries that the worker looks at while it has no free slot, so that it finds jobs of other networks. */
const spareDeliveries = 16;

/**
 * How long to wait before a job is delivered again: short at first, because the lease of a dead worker expires soon, and because a
 * slot may become free.
 */
const redeliveryDelayMs = (deliveries: number): number => Math.min(500 * deliveries, 5_000);

const isUnavailable = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable || isPostgresUnavailable(error);

/** Runs bulk jobs as they are queued, until it is stopped. */
export const createWorker = (dependencies: WorkerDependencies): Worker => {
  const { buses, maxLargeJobs, registryCache, metrics, log } = dependencies;
  const end = new AbortController();
  const runningJobs = new Map<string, Promise<JobOutcome>>();
  const slots = createJobSlots(maxLargeJobs);
  const turns = createTurns(maxConcurrentAppends);
  const backpressure = createProjectionBackpressure(dependencies.readProjectedPositions);

  const startJob = (jobId: string): Promise<JobOutcome> => {
    const stopTracking = metrics.trackJob();
    const running = runJob({ ...dependencies, turns, backpressure }, jobId, end.signal).finally(() => {
      runningJobs.delete(jobId);
      stopTracking();
    });
    runningJobs.set(jobId, running);
    return running;
  };

  const runToOutcome = async (jobId: string): Promise<JobOutcome> => {
    try {
      return await startJob(jobId);
    } catch (err) {
      if (end.signal.aborted) return 'stopped';
      if (err instanceof JobFencedError) log.warn({ err, jobId }, 'job taken over by another attempt');
      else if (isUnavailable(err)) log.warn({ err, jobId }, 'job interrupted: a store is unavailable; retrying');
      else log.error({ err, jobId }, 'job attempt failed; retrying');
      return 'busy';
    }
  };

  /** A job must wait for the registry: without time zones of screens, valid rows would be reported as invalid. */
  const isRegistryReady = () =>
    registryCache.requireReady().then(
      () => true,
      () => false,
    );

  const handle = async (delivery: Delivery): Promise<void> => {
    const { jobId, sizeBytes } = delivery.data as BulkIngestQueued;
    const network = delivery.metadata.network ?? 0;
    // Two buses may deliver the same job. If this process already runs the job, the lease does not prevent a second run, because
    // this process holds the lease itself.
    const isFree = () => !runningJobs.has(jobId) && !end.signal.aborted;
    const runInSlot = async (): Promise<JobOutcome> => {
      const releaseSlot = isFree() ? slots.take(network, sizeBytes) : undefined;
      if (!releaseSlot) return 'busy';
      try {
        return await runToOutcome(jobId);
      } finally {
        releaseSlot();
      }
    };
    const extension = setInterval(() => void delivery.extendAckTimeout().catch(() => undefined), ackTimeoutMs / 3);
    try {
      const outcome = (await isRegistryReady()) ? await runInSlot() : 'busy';
      if (outcome === 'ended') await delivery.acknowledge();
      else await delivery.redeliverAfter(outcome === 'stopped' ? 0 : redeliveryDelayMs(delivery.deliveries));
    } finally {
      clearInterval(extension);
    }
  };

  const consumer = createConsumer(countJobSlots(maxLargeJobs) + spareDeliveries);
  const consuming = buses.map((bus) => bus.consume(consumer, handle, end.signal));
  return {
    async stop() {
      end.abort();
      await Promise.allSettled([...consuming, ...runningJobs.values()]);
    },
  };
};

/** Returns the key of the lease under which one process runs a job. */
export const leaseKeyOf = (jobId: string) => ({ projection: `bulk-job ${jobId}`, generation: 0 });

/**
 * Processes the remaining rows of a job unless another process holds the job's lease. If this function throws any error, such as
 * JobFencedError, the job must be delivered again.
 */
export const runJob = async (
  dependencies: JobDependencies,
  jobId: string,
  signal: AbortSignal,
): Promise<JobOutcome> => {
  const { store, leases, owner, log } = dependencies;
  const known = await readJob(store, jobId);
  if (!known) log.warn({ jobId }, 'job not found in the event store; message discarded');
  if (!known || hasEnded(known.job)) return 'ended';
  const lease = await holdLease(leases, leaseKeyOf(jobId), owner);
  if (!lease) return 'busy';
  let outcome: JobOutcome | undefined;
  try {
    // Another process may have continued the job before this process acquired the lease.
    const current = (await readJob(store, jobId))!;
    outcome = hasEnded(current.job)
      ? 'ended'
      : await runInSpan(
          () => describeJobSpan(current.job),
          () => attemptJob(dependencies, current, lease, signal),
        );
    return outcome;
  } finally {
    await (outcome === 'ended' ? lease.remove() : lease.release());
  }
};

const describeJobSpan = ({ queued, network, attempt }: LoggedJob['job']): SpanOptions => ({
  name: 'bulk job',
  kind: 'internal',
  parent: 'new',
  attributes: { 'popsvc.job_id': queued.jobId, 'popsvc.network': network, 'popsvc.attempt': attempt + 1 },
});
