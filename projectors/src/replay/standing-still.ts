import { setTimeout as sleep } from 'node:timers/promises';
import {
  type HeldLease,
  heldAt,
  holdGeneration,
  holdLease,
  type LeaseKey,
  releaseGeneration,
  type StillBy,
} from '@popsvc/platform/records';
import { LeaseLost } from '../run/final.ts';
import { emitProbe } from '../run/emit-probes.ts';
import { NotNow } from './not-now.ts';
import type { ReplayParts } from './replay-parts.ts';
import { standsAt } from './stands-at.ts';

/** A hold ends by itself soon after who asked for it died. */
const holdMs = 10_000;
const prolongEveryMs = 2_500;
/** No step is begun in the last seconds of a hold that could not be prolonged. */
const marginMs = 3_000;
/** For so long at most a projection stands still at a time. */
export const longestStandstillMs = 60_000;
const lookEveryMs = 50;

/** What is to stand still, and the epoch of who asks for it: a hold of a later one is not another's to end. */
export interface Held extends LeaseKey {
  readonly epoch: bigint;
}

export interface Still {
  /** Position of the last event it has handled. */
  readonly at: bigint;
  readonly by: StillBy;
  /** Aborted when it may move again. */
  readonly signal: AbortSignal;
  /** Throws when it may have moved. */
  assertStill(): void;
  /** The same, by what PostgreSQL says: throws also where somebody else ended the hold. */
  confirmStill(): Promise<void>;
  sinceMs(): number;
  /** From here on the hold ends by itself. */
  leave(): void;
}

/** Asks for the hold, again and again until its longest time is over. */
const holding = async ({ records }: ReplayParts, { epoch, ...key }: Held) => {
  const began = performance.now();
  let until = 0;
  const prolong = async () => {
    const asked = performance.now();
    if (!(await holdGeneration(records, key, holdMs, epoch))) throw new LeaseLost('somebody else conducts the replay');
    until = Math.min(asked + holdMs - marginMs, began + longestStandstillMs);
  };
  await prolong();
  const timer = setInterval(() => {
    if (performance.now() - began < longestStandstillMs) void prolong().catch(() => undefined);
  }, prolongEveryMs);
  return {
    sinceMs: () => Math.round(performance.now() - began),
    isHeld: () => performance.now() < until,
    end: () => clearInterval(timer),
  };
};

/**
 * Has a generation stand still while the work is done: its writer is asked to begin no batch, or, where nobody writes it, its
 * lease is taken. Throws NotNow when it does not come to stand still in time.
 */
export const standingStill = async <T>(
  parts: ReplayParts,
  held: Held,
  work: (still: Still) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const { records, leases, owner, store } = parts;
  const { epoch, ...key } = held;
  const hold = await holding(parts, held);
  let lease: HeldLease | undefined;
  const hand = { isLeft: false };
  const isStill = () => (lease ? lease.isHeld() : hold.isHeld());
  const assertStill = () => {
    if (!isStill())
      throw new NotNow(`${key.projection} generation ${key.generation} did not stand still for long enough`);
  };
  const over = new AbortController();
  const watch = setInterval(() => {
    if (!isStill() || hold.sinceMs() > longestStandstillMs) over.abort(new NotNow('the standstill is over'));
  }, lookEveryMs);
  const confirmStill = async (at: bigint) => {
    assertStill();
    if (!lease && (await heldAt(records, key)) !== at) throw new NotNow('somebody else ended the standstill');
  };
  const stillAt = (at: bigint, by: StillBy): Still => ({
    at,
    by,
    confirmStill: () => confirmStill(at),
    signal: AbortSignal.any([signal, over.signal]),
    assertStill,
    sinceMs: hold.sinceMs,
    leave: () => {
      hold.end();
      hand.isLeft = true;
    },
  });
  try {
    // Whoever writes it has a batch to begin, and sees that it is held.
    await emitProbe(store);
    for (;;) {
      signal.throwIfAborted();
      const at = await heldAt(records, key);
      if (at !== undefined) return await work(stillAt(at, { heldAt: at }));
      lease = await holdLease(leases, key, owner);
      if (lease) return await work(stillAt(await standsAt(parts, key), { epoch: lease.epoch }));
      assertStill();
      await sleep(lookEveryMs);
    }
  } finally {
    clearInterval(watch);
    hold.end();
    await lease?.release();
    if (!hand.isLeft) await releaseGeneration(records, key, epoch).catch(() => undefined);
  }
};
