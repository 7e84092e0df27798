import { getHeapStatistics } from 'node:v8';
import { ApiError } from '@popsvc/contracts/errors';

export interface ServerLimits {
  readonly connections: number;
  readonly requestsInFlight: number;
  /** Target of `ConcurrencyLimiter`. */
  readonly targetLatencyMs: number;
  readonly bodyBytesInFlight: number;
  readonly bodiesPerCaller: number;
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  /** For a body that is read into memory. */
  readonly bodyTimeoutMs: number;
  /** Time that the server may wait for a streamed body. Each received byte gives back 1 / `bodyBytesPerMs` ms of it. */
  readonly bodyIdleTimeoutMs: number;
  /** Minimum rate of a streamed body. Time that the service itself needs does not count. */
  readonly bodyBytesPerMs: number;
  /** The caller must receive a buffered response within this time, plus its size divided by `responseBytesPerMs`. */
  readonly responseTimeoutMs: number;
  readonly responseBytesPerMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Longest wait of a shutdown for running requests. */
  readonly drainTimeoutMs: number;
}

/** A parsed body is several times as large as its bytes, so the maximum depends on the heap limit. */
const bodyBytesInFlight = Math.min(128 * 1024 * 1024, Math.floor(getHeapStatistics().heap_size_limit / 8));

export const defaultServerLimits: ServerLimits = {
  connections: 2_048,
  requestsInFlight: 512,
  targetLatencyMs: 400,
  bodyBytesInFlight,
  bodiesPerCaller: 128,
  // An access token has at most 24 KiB.
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

/** Avoids rejections when a store stalls briefly. */
const minConcurrency = 32;
const averageWeight = 1 / 16;

/**
 * Limits concurrency to what the server answers within the target latency. Without the limit, an overloaded server would answer only after
 * its callers have given up.
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

  /** Throws UNAVAILABLE at the limit. */
  assertCapacity(): void {
    if (this.#inFlight >= this.#limit) throw new ApiError('UNAVAILABLE', 'The service is busy. Retry later.');
  }

  /** Throws UNAVAILABLE at the limit. */
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
    // The reduction begins at half of the target, because requests that were already admitted increase the latency further.
    if (this.#meanMs > this.#targetLatencyMs / 2)
      this.#limit = this.#clamp((concurrency * this.#targetLatencyMs) / this.#meanMs);
    else if (concurrency > this.#limit / 2) this.#limit = this.#clamp(this.#limit + 1);
  }

  #clamp(count: number): number {
    return Math.min(this.#maxConcurrency, Math.max(minConcurrency, count));
  }
}
