import { setTimeout as sleep } from 'node:timers/promises';
import {
  type HeldLease,
  holdGeneration,
  holdLease,
  type LeaseKey,
  readHeldPosition,
  releaseGeneration,
  type WriterStopProof,
} from '@popsvc/platform/postgres';
import { emitProbe } from '../probes.ts';
import { LeaseLost } from '../run-ended.ts';
import { readValidPosition } from './catch-up.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { RetryableReplayError } from './errors.ts';

/**
 * How long a pause lasts unless it is prolonged, in ms. The short duration ensures that the pause ends soon if the process that
 * requested it dies.
 */
const holdMs = 10_000;
const prolongEveryMs = 2_500;
/** Safety margin in ms: the generation is assumed to run again this long before its pause ends. */
const marginMs = 3_000;
/** Maximum duration of a prolonged pause, in ms. */
const maxPauseMs = 60_000;

/**
 * The generation to pause, and the epoch (fencing token) of the replay's lease. A process that lost the lease has an older epoch,
 * so it cannot end its successor's pause.
 */
interface PauseRequest extends LeaseKey {
  readonly epoch: bigint;
}

/** Requests a pause and prolongs it until `end` is called or the maximum duration is reached. */
const requestPause = async ({ postgres }: ReplayDependencies, { epoch, ...key }: PauseRequest) => {
  const began = performance.now();
  let until = 0;
  const prolong = async () => {
    const requestedAt = performance.now();
    if (!(await holdGeneration(postgres, key, holdMs, epoch))) throw new LeaseLost('another process runs the replay');
    until = Math.min(requestedAt + holdMs - marginMs, began + maxPauseMs);
  };
  await prolong();
  const timer = setInterval(() => {
    if (performance.now() - began < maxPauseMs) void prolong().catch(() => undefined);
  }, prolongEveryMs);
  return {
    sinceMs: () => Math.round(performance.now() - began),
    isHeld: () => performance.now() < until,
    end: () => clearInterval(timer),
  };
};

const pollMs = 50;

export interface PausedGeneration {
  /** Position of the last event that the generation contains. */
  readonly at: bigint;
  readonly by: WriterStopProof;
  /** Aborts when the pause ends, because writes to the generation can then resume. */
  readonly signal: AbortSignal;
  /** Throws when the pause has ended, because writes to the generation may have resumed. */
  assertPaused(): void;
  /** Like `assertPaused`, but reads the pause from PostgreSQL, so it also throws when another process ended the pause. */
  confirmPaused(): Promise<void>;
  sinceMs(): number;
  /** Keeps the generation paused until the pause expires, even after `withPausedGeneration` has returned. */
  keepPaused(): void;
}

/**
 * Pauses a generation while `work` runs: its writer does not begin another batch. If the generation has no writer, takes the
 * generation's lease to prevent a writer from starting. Throws `RetryableReplayError` when the generation does not pause in time.
 */
export const withPausedGeneration = async <T>(
  dependencies: ReplayDependencies,
  held: PauseRequest,
  work: (paused: PausedGeneration) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const { postgres, leases, owner, store } = dependencies;
  const { epoch, ...key } = held;
  const name = `${key.projection} generation ${key.generation}`;
  const hold = await requestPause(dependencies, held);
  let lease: HeldLease | undefined;
  const release = { isLeftToExpiry: false };
  const isPaused = () => (lease ? lease.isHeld() : hold.isHeld());
  const assertPaused = () => {
    if (!isPaused()) throw new RetryableReplayError(`the pause of ${name} ended before the replay was done with it`);
  };
  const over = new AbortController();
  const watch = setInterval(() => {
    if (!isPaused() || hold.sinceMs() > maxPauseMs)
      over.abort(new RetryableReplayError(`the pause of ${name} ended before the replay was done with it`));
  }, pollMs);
  const confirmPaused = async (at: bigint) => {
    assertPaused();
    if (!lease && (await readHeldPosition(postgres, key)) !== at)
      throw new RetryableReplayError(`another process ended the pause of ${name}`);
  };
  const pausedAt = (at: bigint, by: WriterStopProof): PausedGeneration => ({
    at,
    by,
    confirmPaused: () => confirmPaused(at),
    signal: AbortSignal.any([signal, over.signal]),
    assertPaused: assertPaused,
    sinceMs: hold.sinceMs,
    keepPaused: () => {
      hold.end();
      release.isLeftToExpiry = true;
    },
  });
  try {
    // A writer notices the pause only when it announces a batch. The probe event makes the writer announce one.
    await emitProbe(store);
    for (;;) {
      signal.throwIfAborted();
      const at = await readHeldPosition(postgres, key);
      if (at !== undefined) return await work(pausedAt(at, { heldAt: at }));
      lease = await holdLease(leases, key, owner);
      if (lease) return await work(pausedAt(await readValidPosition(dependencies, key), { epoch: lease.epoch }));
      assertPaused();
      await sleep(pollMs);
    }
  } finally {
    clearInterval(watch);
    hold.end();
    await lease?.release();
    if (!release.isLeftToExpiry) await releaseGeneration(postgres, key, epoch).catch(() => undefined);
  }
};
