import type { Clock } from '@popsvc/client';

export interface StillClock extends Clock {
  /** How long it was slept, time after time, in ms. */
  readonly slept: number[];
  pass(ms: number): void;
}

/** Time that passes only by sleeping, and at once; chance is always in the middle. */
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
