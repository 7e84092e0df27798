import { getHeapStatistics } from 'node:v8';
import { ApiError } from '@popsvc/contracts/errors';

/** Load limits and timeouts of a server. Requests beyond a limit are rejected, never queued. */
export interface ServerLimits {
  readonly connections: number;
  readonly requestsInFlight: number;
  /** Target latency of concurrency-limited routes: as many requests are admitted as are answered within it. */
  readonly targetLatencyMs: number;
  readonly bodyBytesInFlight: number;
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  /** Time limit for a body that is read into memory. */
  readonly bodyTimeoutMs: number;
  /** Time limit for the next chunk of a streamed body; the whole body has no limit. */
  readonly bodyIdleTimeoutMs: number;
  /** Time limit for the caller to receive a buffered response, plus the time its bytes take at `responseBytesPerMs`. */
  readonly responseTimeoutMs: number;
  readonly responseBytesPerMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Time limit for running requests after shutdown begins. */
  readonly drainTimeoutMs: number;
}

/** A parsed body takes several times its size. Node derives the heap limit from the memory of the machine or container. */
const bodyBytesInFlight = Math.min(128 * 1024 * 1024, Math.floor(getHeapStatistics().heap_size_limit / 8));

export const defaultServerLimits: ServerLimits = {
  connections: 2_048,
  requestsInFlight: 512,
  targetLatencyMs: 1_000,
  bodyBytesInFlight,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  bodyIdleTimeoutMs: 30_000,
  responseTimeoutMs: 30_000,
  responseBytesPerMs: 64,
  keepAliveTimeoutMs: 65_000,
  drainTimeoutMs: 8_000,
};

/** Limits the bytes of request bodies that a server holds in memory; requests beyond the limit are rejected. */
export class ByteBudget {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(bytes: number): boolean {
    if (this.#held + bytes > this.#limit) return false;
    this.#held += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }

  get held(): number {
    return this.#held;
  }
}

/** Always admitted, so that a short stall of a store rejects no requests. */
const minConcurrency = 32;
/** Weight of a new duration in the moving average: a single slow request says little. */
const averageWeight = 1 / 16;

/**
 * Limits concurrency to what the server answers within the target latency. All limited requests wait for the same resource, so
 * latency grows with their number: when the mean latency is twice the target, the number is halved. Without the limit, an
 * overloaded server admits every request, each exceeds the caller's timeout, and the work is lost.
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

  /** Runs the work of a request and adjusts the limit from its duration. */
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
    // Reacts at half the target: requests admitted meanwhile are in the queue already.
    if (this.#meanMs > this.#targetLatencyMs / 2)
      this.#limit = this.#clamp((concurrency * this.#targetLatencyMs) / this.#meanMs);
    // Doubles the limit per round trip once latency is low again.
    else if (concurrency > this.#limit / 2) this.#limit = this.#clamp(this.#limit + 1);
  }

  #clamp(count: number): number {
    return Math.min(this.#maxConcurrency, Math.max(minConcurrency, count));
  }
}
