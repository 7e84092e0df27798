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

/** A pause ends by itself soon after the process that requested it died. */
const holdMs = 10_000;
const prolongEveryMs = 2_500;
/** No step begins within the last seconds of a pause that could not be prolonged. */
const marginMs = 3_000;
/** Maximum duration of a pause. */
const maxPauseMs = 60_000;

/** The generation to pause and the epoch of the replay's lease: a process cannot end the pause of a later epoch. */
interface PauseRequest extends LeaseKey {
  readonly epoch: bigint;
}

/** Requests a pause and prolongs it until the maximum is reached. */
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
  /** Aborts when the generation may continue. */
  readonly signal: AbortSignal;
  /** Throws when the generation may have continued. */
  assertPaused(): void;
  /** The same by the state in PostgreSQL: also throws when another process ended the pause. */
  confirmPaused(): Promise<void>;
  sinceMs(): number;
  /** Keeps the pause beyond this call; it ends by itself. */
  keepPaused(): void;
}

/**
 * Pauses a generation while `work` runs: its writer announces no batch, or, without a writer, its lease is taken.
 * Throws `RetryableReplayError` when the generation does not pause in time.
 */
export const withPausedGeneration = async <T>(
  parts: ReplayDependencies,
  held: PauseRequest,
  work: (paused: PausedGeneration) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const { postgres, leases, owner, store } = parts;
  const { epoch, ...key } = held;
  const hold = await requestPause(parts, held);
  let lease: HeldLease | undefined;
  const release = { isLeftToExpiry: false };
  const isPaused = () => (lease ? lease.isHeld() : hold.isHeld());
  const assertPaused = () => {
    if (!isPaused())
      throw new RetryableReplayError(`${key.projection} generation ${key.generation} did not pause for long enough`);
  };
  const over = new AbortController();
  const watch = setInterval(() => {
    if (!isPaused() || hold.sinceMs() > maxPauseMs) over.abort(new RetryableReplayError('the pause has ended'));
  }, pollMs);
  const confirmPaused = async (at: bigint) => {
    assertPaused();
    if (!lease && (await readHeldPosition(postgres, key)) !== at)
      throw new RetryableReplayError('another process ended the pause');
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
    // The probe makes the writer announce a batch, and so notice the pause.
    await emitProbe(store);
    for (;;) {
      signal.throwIfAborted();
      const at = await readHeldPosition(postgres, key);
      if (at !== undefined) return await work(pausedAt(at, { heldAt: at }));
      lease = await holdLease(leases, key, owner);
      if (lease) return await work(pausedAt(await readValidPosition(parts, key), { epoch: lease.epoch }));
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
