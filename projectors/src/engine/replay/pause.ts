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

/** A hold ends by itself soon after who asked for it died. */
const holdMs = 10_000;
const prolongEveryMs = 2_500;
/** No step is begun in the last seconds of a hold that could not be prolonged. */
const marginMs = 3_000;
/** For so long at most a projection stands still at a time. */
const maxPauseMs = 60_000;

/** What is to stand still, and the epoch of who asks for it: a hold of a later one is not another's to end. */
interface PauseRequest extends LeaseKey {
  readonly epoch: bigint;
}

/** Asks for the hold, again and again until its longest time is over. */
const requestPause = async ({ postgres }: ReplayDependencies, { epoch, ...key }: PauseRequest) => {
  const began = performance.now();
  let until = 0;
  const prolong = async () => {
    const asked = performance.now();
    if (!(await holdGeneration(postgres, key, holdMs, epoch))) throw new LeaseLost('somebody else conducts the replay');
    until = Math.min(asked + holdMs - marginMs, began + maxPauseMs);
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

const lookEveryMs = 50;

export interface PausedGeneration {
  /** Position of the last event it has handled. */
  readonly at: bigint;
  readonly by: WriterStopProof;
  /** Aborted when it may move again. */
  readonly signal: AbortSignal;
  /** Throws when it may have moved. */
  assertPaused(): void;
  /** The same, by what PostgreSQL says: throws also where somebody else ended the hold. */
  confirmPaused(): Promise<void>;
  sinceMs(): number;
  /** From here on the hold ends by itself. */
  keepPaused(): void;
}

/**
 * Has a generation stand still while the work is done: its writer is asked to begin no batch, or, where nobody writes it, its
 * lease is taken. Throws NotNow when it does not come to stand still in time.
 */
export const withPausedGeneration = async <T>(
  parts: ReplayDependencies,
  held: PauseRequest,
  work: (still: PausedGeneration) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const { postgres, leases, owner, store } = parts;
  const { epoch, ...key } = held;
  const hold = await requestPause(parts, held);
  let lease: HeldLease | undefined;
  const hand = { isLeft: false };
  const isStill = () => (lease ? lease.isHeld() : hold.isHeld());
  const assertStill = () => {
    if (!isStill())
      throw new RetryableReplayError(
        `${key.projection} generation ${key.generation} did not stand still for long enough`,
      );
  };
  const over = new AbortController();
  const watch = setInterval(() => {
    if (!isStill() || hold.sinceMs() > maxPauseMs) over.abort(new RetryableReplayError('the standstill is over'));
  }, lookEveryMs);
  const confirmStill = async (at: bigint) => {
    assertStill();
    if (!lease && (await readHeldPosition(postgres, key)) !== at)
      throw new RetryableReplayError('somebody else ended the standstill');
  };
  const stillAt = (at: bigint, by: WriterStopProof): PausedGeneration => ({
    at,
    by,
    confirmPaused: () => confirmStill(at),
    signal: AbortSignal.any([signal, over.signal]),
    assertPaused: assertStill,
    sinceMs: hold.sinceMs,
    keepPaused: () => {
      hold.end();
      hand.isLeft = true;
    },
  });
  try {
    // Whoever writes it has a batch to begin, and sees that it is held.
    await emitProbe(store);
    for (;;) {
      signal.throwIfAborted();
      const at = await readHeldPosition(postgres, key);
      if (at !== undefined) return await work(stillAt(at, { heldAt: at }));
      lease = await holdLease(leases, key, owner);
      if (lease) return await work(stillAt(await readValidPosition(parts, key), { epoch: lease.epoch }));
      assertStill();
      await sleep(lookEveryMs);
    }
  } finally {
    clearInterval(watch);
    hold.end();
    await lease?.release();
    if (!hand.isLeft) await releaseGeneration(postgres, key, epoch).catch(() => undefined);
  }
};
