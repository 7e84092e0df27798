import { setTimeout as sleep } from 'node:timers/promises';

/** What waiting depends on; a test gives its own. */
export interface Clock {
  /** ms since 1970. */
  readonly now: () => number;
  /** Rejects with the reason of the signal when that fires first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await sleep(ms, undefined, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  random: () => Math.random(),
};
