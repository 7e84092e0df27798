import { setTimeout as sleep } from 'node:timers/promises';
import { createAttemptLimiter, clientAddressKey, type RefillRate } from './rate-limits.ts';

/** Slows down callers who guess credentials. */
export interface GuessLimiter {
  /**
   * Counts a wrong credential from a network address. If the address has exceeded the rate, throws RATE_LIMITED after a pause. Valid
   * credentials are not counted, because callers behind one proxy share an address.
   */
  count(remoteAddress: string, signal: AbortSignal): Promise<void>;
}

interface GuessLimiterOptions {
  readonly rate: RefillRate;
  /** Error message for addresses that exceed the rate. */
  readonly message: string;
  /** Returns the time on a monotonic clock, in ms. */
  readonly now?: () => number;
}

const pauseMs = 1_000;
/** Number of responses that may be paused at a time. Further ones are sent at once: each paused request counts as in flight. */
const maxPaused = 64;

export const createGuessLimiter = ({ rate, message, now }: GuessLimiterOptions): GuessLimiter => {
  const attempts = createAttemptLimiter({ rate, message, now });
  let paused = 0;
  return {
    async count(remoteAddress, signal) {
      try {
        attempts.count(clientAddressKey(remoteAddress));
      } catch (error) {
        if (paused < maxPaused) {
          paused += 1;
          await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
          paused -= 1;
        }
        throw error;
      }
    },
  };
};
