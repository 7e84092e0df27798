import { getHeapStatistics } from 'node:v8';
import { ApiError } from '@popsvc/contracts/errors';

/** Limits and timeouts of a server. */
export interface ServerLimits {
  readonly connections: number;
  readonly requestsInFlight: number;
  /** Target latency of concurrency-limited routes, in ms (see `ConcurrencyLimiter`). */
  readonly targetLatencyMs: number;
  readonly bodyBytesInFlight: number;
  /** Maximum number of bodies of one caller that may arrive at a time. */
  readonly bodiesPerCaller: number;
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  /** Time limit in ms for receiving a body that is read into memory. */
  readonly bodyTimeoutMs: number;
  /**
   * Maximum time budget in ms for waiting on a streamed body. Waiting uses the budget up, and received bytes refill it at the rate
   * `bodyBytesPerMs`. The route limits the time for the whole body.
   */
  readonly bodyIdleTimeoutMs: number;
  /** Minimum rate of a streamed body in bytes per ms. Time that the service itself needs does not count. */
  readonly bodyBytesPerMs: number;
  /**
   * Base time limit in ms within which the caller must receive a buffered response. The full limit also includes the size of the
   * response divided by `responseBytesPerMs`.
   */
  readonly responseTimeoutMs: number;
  readonly responseBytesPerMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Maximum time in ms that a shutdown waits for running requests. */
  readonly drainTimeoutMs: number;
}

/**
 * Maximum number of body bytes in memory. The maximum depends on the heap limit, because the parsed form of a body is several
 * times as large as the body. Node derives the heap limit from the memory of the machine or container.
 */
const bodyBytesInFlight = Math.min(128 * 1024 * 1024, Math.floor(getHeapStatistics().heap_size_limit / 8));

export const defaultServerLimits: ServerLimits = {
  connections: 2_048,
  requestsInFlight: 512,
  targetLatencyMs: 400,
  bodyBytesInFlight,
  bodiesPerCaller: 128,
  // An access token for the maximum number of networks has 24 KB.
  headerBytes: 32 * 1024,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  bodyIdleTimeoutMs: 30_000,
  bodyBytesPerMs: 8,
  responseTimeoutMs: 30_000,
  responseBytesPerMs: 64,
  keepAliveTimeoutMs: 65_000,
  // Less than the time after which `npm start` kills a service that it stops.
  drainTimeoutMs: 4_000,
};

/** The lowest concurrency limit, unless `requestsInFlight` is lower. It avoids rejections when a store stalls briefly. */
const minConcurrency = 32;
/** Weight of a new duration in the moving average. It is small, so a single slow request hardly changes the average. */
const averageWeight = 1 / 16;

/**
 * Limits concurrency to what the server can answer within the target latency. All limited requests wait for the same resource, so latency
 * grows with concurrency: if the mean latency is twice the target, the limit becomes half of the current concurrency. Without this limit,
 * the responses of an overloaded server could all arrive after the timeouts of their callers, and the work would be wasted.
 */
export class ConcurrencyLimiter {
  readonly #targetLatencyMs: number;
  readonly #maxConcurrency: number;
  #limit: number;
  #inFlight = 0;
  #meanMs = 0;

  constructor({ targetLatencyMs, requestsInFlight }: Pick<ServerLimits, 'targetLatencyMs' | 'requestsInFlight'>) {
    this.#targetLatencyMs = targetLatencyMs;
    this.#maxConcurrency = this.#limit = requestsInFlight;
  }

  /** Throws UNAVAILABLE when the limit is reached. */
  assertCapacity(): void {
    if (this.#inFlight >= this.#limit) throw new ApiError('UNAVAILABLE', 'The service is busy. Retry later.');
  }

  /** Runs `work` and adjusts the limit according to its duration. Throws UNAVAILABLE when the limit is reached. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    this.assertCapacity();
    const [concurrency, startedAt] = [++this.#inFlight, performance.now()];
    try {
      const done = await work();
      this.#adjust(concurrency, performance.now() - startedAt);
      return done;
    } finally {
      this.#inFlight--;
    }
  }

  #adjust(concurrency: number, tookMs: number): void {
    this.#meanMs += (tookMs - this.#meanMs) * averageWeight;
    // The limit is recalculated as soon as the mean exceeds half of the target. Waiting for the full target would be too late,
    // because the server keeps admitting requests until a lower limit takes effect.
    if (this.#meanMs > this.#targetLatencyMs / 2)
      this.#limit = this.#clamp((concurrency * this.#targetLatencyMs) / this.#meanMs);
    // Once latency is low again, each request that completes at more than half of the limit raises it by one. Under full load, the limit
    // therefore doubles in about the duration of one request.
    else if (concurrency > this.#limit / 2) this.#limit = this.#clamp(this.#limit + 1);
  }

  #clamp(count: number): number {
    return Math.min(this.#maxConcurrency, Math.max(minConcurrency, count));
  }
}
