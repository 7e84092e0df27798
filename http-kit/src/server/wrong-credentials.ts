import { RefusalPause } from './paused-refusals.ts';
import { createAttemptLimiter, clientAddressKey, type RefillRate } from './rate-limits.ts';

export interface GuessLimiter {
  /**
   * Counts a wrong credential from a network address. If the address has exceeded the rate, throws RATE_LIMITED after a pause. Valid
   * credentials are not counted, because callers behind one proxy share an address.
   */
  count(remoteAddress: string, signal: AbortSignal): Promise<void>;
}

interface GuessLimiterOptions {
  readonly rate: RefillRate;
  readonly message: string;
  /** Returns the time on a monotonic clock, in ms. */
  readonly now?: () => number;
}

export const createGuessLimiter = ({ rate, message, now }: GuessLimiterOptions): GuessLimiter => {
  const attempts = createAttemptLimiter({ rate, message, now });
  const pause = new RefusalPause();
  return {
    async count(remoteAddress, signal) {
      try {
        attempts.count(clientAddressKey(remoteAddress));
      } catch (error) {
        await pause.wait(signal);
        throw error;
      }
    },
  };
};
