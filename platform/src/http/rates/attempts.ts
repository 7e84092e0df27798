import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import { type RefillRate, TokenBucket } from './token-bucket.ts';

/** How often something may be tried by whoever has no key to be counted by. */
export interface AttemptLimiter {
  /** Counts one more; throws RATE_LIMITED when there were too many, and then counts nothing. */
  count(name: string): void;
}

export interface AttemptLimiterOptions {
  readonly rate: RefillRate;
  /** What is told to who tries too often. */
  readonly message: string;
  /** Monotonic ms. */
  readonly now?: (() => number) | undefined;
}

/** Who is not among so many last seen starts anew. */
const remembered = 10_000;

export const createAttemptLimiter = ({
  rate,
  message,
  now = () => performance.now(),
}: AttemptLimiterOptions): AttemptLimiter => {
  const buckets = new LRUCache<string, TokenBucket>({ max: remembered });
  return {
    count(name) {
      const bucket = buckets.get(name) ?? new TokenBucket();
      buckets.set(name, bucket);
      const waitSeconds = bucket.take(1, rate, now());
      if (waitSeconds > 0) throw new ApiError('RATE_LIMITED', message, { retryAfterSeconds: Math.ceil(waitSeconds) });
    },
  };
};
