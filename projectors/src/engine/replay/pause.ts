import { setTimeout as sleep } from 'node:timers/promises';
import {
  type HeldLease,
  holdGeneration,
  holdLease,
  readHeldPositions,
  releaseGeneration,
  type WriterStopProof,
} from '@popsvc/platform/postgres';
import type { ProjectionGeneration } from '../generation-partitions.ts';
import { emitProbe } from '../probes.ts';
import { LeaseLost } from '../run-ended.ts';
import { readValidPosition } from './catch-up.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { partitionsOf } from './replay-partitions.ts';
import { RetryableReplayError } from './errors.ts';

/** Short, so that the pause ends soon if the process that requested it dies. */
const holdMs = 10_000;
const prolongEveryMs = 2_500;
/** The generation counts as running again this long before its pause ends. */
const marginMs = 3_000;
const maxPauseMs = 60_000;

/** `epoch`: fencing token of the replay's lease. A process that lost the lease has an older one, so it cannot end its successor's pause. */
interface PauseRequest extends ProjectionGeneration {
  readonly epoch: bigint;
}

const requestPause = async ({ postgres }: ReplayDependencies, { projection, generation, epoch }: PauseRequest) => {
  const key = { projection: projection.name, generation };
  const began = performance.now();
  let until = 0;
  const prolong = async () => {
    const requestedAt = performance.now();
    if (!(await holdGeneration(postgres, key, holdMs, epoch))) throw new LeaseLost('another process runs the replay');
    until = Math.min(requestedAt + holdMs - marginMs, began + maxPauseMs);
  };
  await prolong();
  let prolonged: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    if (performance.now() - began < maxPauseMs) prolonged = Promise.allSettled([prolonged, prolong()]);
  }, prolongEveryMs);
  return {
    sinceMs: () => Math.round(performance.now() - began),
    isHeld: () => performance.now() < until,
    /** Resolves when no statement that prolongs the pause is running: a late one could pause the generation again after its release. */
    async end(): Promise<void> {
      clearInterval(timer);
      await prolonged;
    },
  };
};

const pollMs = 50;

export interface PausedGeneration {
  /** For each partition, the log position at which it is paused. */
  readonly at: readonly bigint[];
  /** For each partition, the proof that its writer begins no batch. */
  readonly by: readonly WriterStopProof[];
  /** Aborts when the pause ends, because the generation may then be written again. */
  readonly signal: AbortSignal;
  assertPaused(): void;
  /** Reads the pause from PostgreSQL, so it also throws if another process ended the pause. */
  confirmPaused(): Promise<void>;
  sinceMs(): number;
  /** Leaves the generation paused until the pause expires, even after `withPausedGeneration` returns. */
  keepPaused(): void;
}

/** `lease`: held by this process if the partition had no writer. */
interface PausedUnit {
  readonly at: bigint;
  readonly by: WriterStopProof;
  readonly lease?: HeldLease;
}

/**
 * Keeps the writers from beginning batches while `work` runs, for at most a minute. Throws `RetryableReplayError` if the generation does
 * not pause in time, and `LeaseLost` if another process runs the replay.
 */
export const withPausedGeneration = async <T>(
  dependencies: ReplayDependencies,
  held: PauseRequest,
  work: (paused: PausedGeneration) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const { postgres, leases, owner, store } = dependencies;
  const { epoch, projection, generation } = held;
  const key = { projection: projection.name, generation };
  const partitions = partitionsOf(dependencies, held);
  const name = `${key.projection} generation ${key.generation}`;
  const hold = await requestPause(dependencies, held);
  const stopped = new Map<number, PausedUnit>();
  const pausedPartitions = () => [...stopped.values()];
  const release = { isLeftToExpiry: false };
  const isPaused = () =>
    pausedPartitions().every(({ lease }) => lease?.isHeld() ?? true) &&
    (hold.isHeld() || (stopped.size === partitions.length && pausedPartitions().every(({ lease }) => lease)));
  const assertPaused = () => {
    if (!isPaused()) throw new RetryableReplayError(`the pause of ${name} ended before the replay was done with it`);
  };
  const over = new AbortController();
  const watch = setInterval(() => {
    if (!isPaused() || hold.sinceMs() > maxPauseMs)
      over.abort(new RetryableReplayError(`the pause of ${name} ended before the replay was done with it`));
  }, pollMs);
  const confirmPaused = async () => {
    assertPaused();
    const positions = await readHeldPositions(postgres, key);
    for (const [partition, { at, lease }] of stopped)
      if (!lease && positions.get(partition) !== at)
        throw new RetryableReplayError(`another process ended the pause of ${name}`);
  };
  const pausePartitions = async () => {
    const positions = await readHeldPositions(postgres, key);
    for (const { partition } of partitions) {
      const at = positions.get(partition.index);
      const known = stopped.get(partition.index);
      if (known?.lease) continue;
      if (at !== undefined) stopped.set(partition.index, { at, by: { heldAt: at } });
      else if (!known) {
        const partitionKey = { ...key, partition: partition.index };
        const lease = await holdLease(leases, partitionKey, owner);
        if (!lease) continue;
        // Stored before the position is read, so that `finally` releases the lease if the read fails.
        stopped.set(partition.index, { at: 0n, by: { epoch: lease.epoch }, lease });
        stopped.set(partition.index, {
          at: await readValidPosition(dependencies, partitionKey),
          by: { epoch: lease.epoch },
          lease,
        });
      }
    }
  };
  try {
    // A writer notices the pause only when it announces a batch, so a probe event makes it announce one.
    await emitProbe(store);
    for (;;) {
      signal.throwIfAborted();
      await pausePartitions();
      if (stopped.size === partitions.length) break;
      assertPaused();
      await sleep(pollMs);
    }
    const ofPartitions = partitions.map(({ partition }) => stopped.get(partition.index)!);
    return await work({
      at: ofPartitions.map(({ at }) => at),
      by: ofPartitions.map(({ by }) => by),
      confirmPaused,
      signal: AbortSignal.any([signal, over.signal]),
      assertPaused,
      sinceMs: hold.sinceMs,
      keepPaused: () => {
        void hold.end();
        release.isLeftToExpiry = true;
      },
    });
  } finally {
    clearInterval(watch);
    await hold.end();
    for (const { lease } of pausedPartitions()) await lease?.release();
    if (!release.isLeftToExpiry) await releaseGeneration(postgres, key, epoch).catch(() => undefined);
  }
};
