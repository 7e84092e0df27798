import { ApiError } from '@popsvc/contracts/errors';
import type { ServerLimits } from './limits.ts';

/** Always let in: whoever waits for a store that stands still for a moment is not refused for it. */
const least = 32;
/** How fast a new duration counts: one request that is slow for reasons of its own says little. */
const weight = 1 / 16;

/**
 * Lets in as many requests at a time as are answered soon. They all wait for the same, so whoever comes to a long queue waits as
 * long as the queue is: what is taken in twice as long as it should is twice too much. Without it a server that is sent more than
 * it can do takes in all it has places for, has each wait until it is given up, and what was done for those is lost.
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

  /** Refuses whom there is no room for. */
  pass(): void {
    if (this.#inside >= this.#most) throw new ApiError('UNAVAILABLE', 'The service is busy; try again.');
  }

  /** Does the work of a request, and learns from how long it took. */
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
    // A queue shows before it is too long, and what was admitted meanwhile is in it already.
    if (this.#meanMs > this.#soonMs / 2) this.#most = this.#within((among * this.#soonMs) / this.#meanMs);
    // Twice as many with each round, once nobody waits any more.
    else if (among > this.#most / 2) this.#most = this.#within(this.#most + 1);
  }

  #within(count: number): number {
    return Math.min(this.#places, Math.max(least, count));
  }
}
