import { BulkIngestQueued } from '@popsvc/contracts/events';
import type { MessageBus, Consumer, Delivery } from '@popsvc/platform/message-bus';
import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import { isPostgresUnavailable } from '@popsvc/platform/postgres';
import type { RegistryMirror } from '../places/registry-mirror.ts';
import { Fenced } from './job-log.ts';
import type { JobParts, Outcome } from './job-parts.ts';
import { workJob } from './work-job.ts';

export interface WorkerParts extends JobParts {
  readonly mirror: Pick<RegistryMirror, 'registry' | 'ready'>;
  /** Whoever brings jobs; several may bring the same one. */
  readonly buses: readonly MessageBus[];
  /** How many jobs this process works on at a time. */
  readonly jobsAtOnce: number;
}

export interface Worker {
  /** Leaves the jobs at work where they are, everything told that is done. */
  stop(): Promise<void>;
}

/** So long after a worker was killed its job is brought to another, which begins when the lease, of 15 s, is over. */
const patienceMs = 6_000;
const consumer = (inHand: number): Consumer => ({
  name: 'bulk-worker',
  types: [BulkIngestQueued.type],
  ackTimeoutMs: patienceMs,
  // A job is given up by what its own stream tells of its attempts, not by how often it was brought.
  maxDeliveries: 1_000_000,
  maxInFlight: inHand,
});

/** Soon at first, since a lease ends soon after its holder died; later now and then. */
const againAfterMs = (deliveries: number): number => Math.min(500 * deliveries, 5_000);

const passes = (error: unknown): boolean => error instanceof EventStoreUnavailable || isPostgresUnavailable(error);

/** Works on bulk jobs as they are queued, until it is stopped. */
export const createWorker = (parts: WorkerParts): Worker => {
  const { buses, jobsAtOnce, mirror, metrics, log } = parts;
  const end = new AbortController();
  const atWork = new Map<string, Promise<Outcome>>();

  const work = (jobId: string): Promise<Outcome> => {
    const began = metrics.began();
    const done = workJob(parts, jobId, end.signal).finally(() => {
      atWork.delete(jobId);
      began();
    });
    atWork.set(jobId, done);
    return done;
  };

  const outcomeOf = async (jobId: string): Promise<Outcome> => {
    try {
      return await work(jobId);
    } catch (err) {
      if (end.signal.aborted) return 'stopped';
      if (err instanceof Fenced) log.warn({ err, jobId }, 'the job went on elsewhere');
      else if (passes(err)) log.warn({ err, jobId }, 'the job waits for a store that is away');
      else log.error({ err, jobId }, 'the job cannot go on now; trying again later');
      return 'busy';
    }
  };

  /** Without the registry no zone of a screen is known, and rows would be told to be bad that are not. */
  const knowsPlaces = () =>
    mirror.ready().then(
      () => true,
      () => false,
    );

  const handle = async (delivery: Delivery): Promise<void> => {
    const { jobId } = delivery.data as BulkIngestQueued;
    // Two buses may bring one job, and the lease would not keep a process from itself.
    const isFree = () => !atWork.has(jobId) && atWork.size < jobsAtOnce && !end.signal.aborted;
    const alive = setInterval(() => void delivery.extendAckTimeout().catch(() => undefined), patienceMs / 3);
    try {
      const outcome = (await knowsPlaces()) && isFree() ? await outcomeOf(jobId) : 'busy';
      if (outcome === 'ended') await delivery.acknowledge();
      else await delivery.redeliverAfter(outcome === 'stopped' ? 0 : againAfterMs(delivery.deliveries));
    } finally {
      clearInterval(alive);
    }
  };

  const consuming = buses.map((bus) => bus.consume(consumer(jobsAtOnce), handle, end.signal));
  return {
    async stop() {
      end.abort();
      await Promise.allSettled([...consuming, ...atWork.values()]);
    },
  };
};
