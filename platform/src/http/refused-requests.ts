import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import { createRefusalPause } from './paused-refusals.ts';
import { TokenBucket } from './rate-limits.ts';

/** Work in ms that a caller's refused requests may cost: sustained, and at once. */
const refusedWork = { perSecond: 10, burst: 400 };
/** Least cost in ms of a refused request. So a caller may send 40 small ones a second, and 1,600 at once. */
const leastCostMs = 0.25;
const maxRememberedCallers = 10_000;

/**
 * Bounds the work that one caller's invalid requests take from others: a refused request costs its sender nothing, because no event
 * counts against its rate. A caller that exceeds the bound must wait before its next requests are read.
 */
export class RefusedRequests {
  readonly #message: string;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: maxRememberedCallers });
  readonly #pause = createRefusalPause();

  /** `message`: what a caller beyond the bound receives. `now`: returns the time on a monotonic clock, in ms. */
  constructor(message: string, now: () => number = () => performance.now()) {
    this.#message = message;
    this.#now = now;
  }

  /** Counts a refused request, which kept the event loop busy for `busyMs`. */
  count(caller: string, busyMs: number): void {
    const bucket = this.#buckets.get(caller) ?? new TokenBucket();
    this.#buckets.set(caller, bucket);
    bucket.charge(Math.max(busyMs, leastCostMs), refusedWork, this.#now());
  }

  /** Throws RATE_LIMITED while the caller's refused requests have cost too much. */
  requireAllowance(caller: string): void {
    const waitSeconds = this.#buckets.get(caller)?.take(0, refusedWork, this.#now()) ?? 0;
    if (waitSeconds === 0) return;
    throw new ApiError('RATE_LIMITED', this.#message, { retryAfterSeconds: Math.ceil(waitSeconds) });
  }

  /** Like `requireAllowance`, but throws after a pause, so that the caller cannot repeat the request at once. */
  async throttleCaller(caller: string, signal: AbortSignal): Promise<void> {
    try {
      this.requireAllowance(caller);
    } catch (error) {
      await this.#pause(signal);
      throw error;
    }
  }
}
