import type { Clock } from '@popsvc/client';

export interface StillClock extends Clock {
  /** The durations of all sleeps, in ms. */
  readonly slept: number[];
  pass(ms: number): void;
}

/** A clock whose time passes only by sleeping, without waiting, and whose random numbers are always 0.5. */
export const stillClock = (startMs = Date.now()): StillClock => {
  let nowMs = startMs;
  const slept: number[] = [];
  return {
    slept,
    now: () => nowMs,
    pass: (ms) => void (nowMs += ms),
    random: () => 0.5,
    sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
  };
};
