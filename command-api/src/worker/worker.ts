import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import { type LeasedSubscriptionDependencies, retryUntilAborted } from '@popsvc/platform/message-bus';
import { hasEnded } from '@popsvc/domain/bulk';
import { claimJob, type ClaimedJob, isPostgresUnavailable, type JobClass } from '@popsvc/platform/postgres';
import { createFairTurns, createSignal } from '@popsvc/platform/runtime';
import { runInSpan, type SpanOptions } from '@popsvc/platform/telemetry';
import type { RegistryCache } from '../registry/registry-cache.ts';
import { attemptJob, type JobDependencies, type JobOutcome } from './attempt-job.ts';
import { maxConcurrentAppends } from './ingest-file.ts';
import { JobFencedError, type LoggedJob, readJob } from './job-log.ts';
import { followJobs } from './open-jobs.ts';
import { createProjectionBackpressure } from './projection-backpressure.ts';

export interface WorkerDependencies
  extends Omit<JobDependencies, 'turns' | 'backpressure'>, LeasedSubscriptionDependencies {
  /** Log position of the last projected events, by last digit of the network id (0 to 9). */
  readonly readProjectedPositions: () => Promise<ReadonlyMap<number, bigint>>;
  readonly registryCache: Pick<RegistryCache, 'registry' | 'requireReady'>;
  readonly maxLargeJobs: number;
}

export interface Worker {
  /** Interrupts running jobs after their progress is recorded. */
  stop(): Promise<void>;
}

const smallFileBytes = 1_048_576;

/** Each job holds part of its file in memory. Small files have a class of their own, so that large files cannot take all places. */
const createJobClasses = (maxLargeJobs: number): readonly JobClass[] => [
  { minBytes: 0, maxBytes: smallFileBytes, total: 16, perNetwork: 4 },
  {
    minBytes: smallFileBytes + 1,
    maxBytes: Number.MAX_SAFE_INTEGER,
    total: maxLargeJobs,
    perNetwork: Math.max(1, Math.floor(maxLargeJobs / 2)),
  },
];

/** How often to look for jobs that another process stored in PostgreSQL, or that are due for a retry. */
const pollMs = 500;
const retryDelayMs = ({ claims }: ClaimedJob): number => Math.min(500 * claims, 5_000);

const isUnavailable = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable || isPostgresUnavailable(error);

export const createWorker = (dependencies: WorkerDependencies): Worker => {
  const { postgres, owner, maxLargeJobs, registryCache, metrics, log } = dependencies;
  const end = new AbortController();
  const { signal } = end;
  const changed = createSignal(signal);
  const classes = createJobClasses(maxLargeJobs);
  const running = new Map<ClaimedJob, Promise<void>>();
  /** Networks of claimed jobs, in the order of their latest claims. */
  const served = new Set<number>();
  const jobDependencies = {
    ...dependencies,
    turns: createFairTurns(maxConcurrentAppends),
    backpressure: createProjectionBackpressure(dependencies.readProjectedPositions),
  };

  const run = async (job: ClaimedJob): Promise<void> => {
    const { jobId } = job;
    const stopTracking = metrics.trackJob();
    try {
      await runJob(jobDependencies, job, signal);
    } catch (err) {
      if (signal.aborted) return;
      if (err instanceof JobFencedError) log.warn({ err, jobId }, 'job taken over by another attempt');
      else if (isUnavailable(err)) log.warn({ err, jobId }, 'job interrupted: a store is unavailable; retrying');
      else log.error({ err, jobId }, 'job attempt failed; retrying');
    } finally {
      stopTracking();
      running.delete(job);
      changed.notify();
    }
  };

  const claimJobs = async (jobClass: JobClass): Promise<void> => {
    for (;;) {
      const job = await claimJob(postgres, { owner, jobClass, running: [...running.keys()], served: [...served] });
      if (!job) return;
      served.delete(job.network);
      served.add(job.network);
      running.set(job, run(job));
    }
  };

  /** Without the time zones of screens, valid rows would be reported as invalid. */
  const isRegistryReady = () =>
    registryCache.requireReady().then(
      () => true,
      () => false,
    );

  const claimUntilAborted = async (): Promise<void> => {
    while (!signal.aborted) {
      if (await isRegistryReady()) for (const jobClass of classes) await claimJobs(jobClass);
      await changed.wait(pollMs);
    }
  };

  const loops = [
    retryUntilAborted({ task: 'store open jobs', log, signal }, () =>
      followJobs(dependencies, () => changed.notify(), signal),
    ),
    retryUntilAborted({ task: 'claim jobs', log, signal }, claimUntilAborted),
  ];
  return {
    async stop() {
      end.abort();
      await Promise.all(loops);
      await Promise.all(running.values());
    },
  };
};

/** Removes the job from PostgreSQL if it has ended. Releases it in every other case, and throws the error of a failed attempt. */
export const runJob = async (
  dependencies: JobDependencies,
  claim: ClaimedJob,
  signal: AbortSignal,
): Promise<JobOutcome> => {
  const { store, log } = dependencies;
  const { jobId } = claim;
  try {
    const known = await readJob(store, jobId);
    if (!known) log.warn({ jobId }, 'job not found in the event store; removed');
    const outcome =
      !known || hasEnded(known.job)
        ? 'ended'
        : await runInSpan(
            () => describeJobSpan(known.job),
            () => attemptJob(dependencies, known, claim, signal),
          );
    await (outcome === 'ended' ? claim.remove() : claim.release(0));
    return outcome;
  } catch (error) {
    await claim.release(signal.aborted ? 0 : retryDelayMs(claim));
    throw error;
  }
};

const describeJobSpan = ({ queued, network, attempt }: LoggedJob['job']): SpanOptions => ({
  name: 'bulk job',
  kind: 'internal',
  parent: 'new',
  attributes: { 'popsvc.job_id': queued.jobId, 'popsvc.network': network, 'popsvc.attempt': attempt + 1 },
});
