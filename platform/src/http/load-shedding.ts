import { ApiError } from '@popsvc/contracts/errors';
import type { ServerLimits } from './server-context.ts';

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
const least = 32;
/** Weight of a new duration in the moving average: a single slow request says little. */
const weight = 1 / 16;

/**
 * Limits concurrency to what the server answers within the target latency. All limited requests wait for the same resource, so
 * latency grows with their number: when the mean latency is twice the target, the number is halved. Without the limit, an
 * overloaded server admits every request, each exceeds the caller's timeout, and the work is lost.
 */
export class Pace {
  readonly #soonMs: number;
  readonly #places: number;
  #most: number;
  #inside = 0;
  #meanMs = 0;

  constructor({ targetLatencyMs, requestsInFlight }: Pick<ServerLimits, 'targetLatencyMs' | 'requestsInFlight'>) {
    this.#soonMs = targetLatencyMs;
    this.#places = this.#most = requestsInFlight;
  }

  /** Throws UNAVAILABLE when the limit is reached. */
  pass(): void {
    if (this.#inside >= this.#most) throw new ApiError('UNAVAILABLE', 'The service is busy; try again.');
  }

  /** Runs the work of a request and adjusts the limit from its duration. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    this.pass();
    const [among, began] = [++this.#inside, performance.now()];
    try {
      const done = await work();
      this.#learn(among, performance.now() - began);
      return done;
    } finally {
      this.#inside--;
    }
  }

  #learn(among: number, tookMs: number): void {
    this.#meanMs += (tookMs - this.#meanMs) * weight;
    // Reacts at half the target: requests admitted meanwhile are in the queue already.
    if (this.#meanMs > this.#soonMs / 2) this.#most = this.#within((among * this.#soonMs) / this.#meanMs);
    // Doubles the limit per round trip once latency is low again.
    else if (among > this.#most / 2) this.#most = this.#within(this.#most + 1);
  }

  #within(count: number): number {
    return Math.min(this.#places, Math.max(least, count));
  }
}
