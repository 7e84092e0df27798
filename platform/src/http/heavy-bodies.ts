import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import { createRefusalPause } from './paused-refusals.ts';
import { TokenBucket } from './rate-limits.ts';

/** Bodies up to these sizes take a few ms at most. */
const smallBodyBytes = { plain: 65_536, compressed: 4_096 };

/** Returns whether a body may be large enough to keep the event loop busy for long. */
export const isHeavyBody = (headers: IncomingHttpHeaders): boolean => {
  const small = smallBodyBytes[headers['content-encoding'] === undefined ? 'plain' : 'compressed'];
  return !(Number(headers['content-length'] ?? Infinity) <= small);
};

/** Work in ms that a caller's refused bodies may cost: sustained, and at once. */
const refusedWork = { perSecond: 10, burst: 400 };
const maxRememberedCallers = 10_000;

const ignore = () => undefined;

/** Estimates the time in ms to receive or decompress a body of this size. */
export const estimateTransferMs = (bytes: number): number => bytes / 100_000;

/**
 * Bounds the share of the event loop that one caller's large bodies take from others. A caller's large bodies are decompressed and
 * parsed one at a time, and other requests run between them. A caller whose large bodies were refused must wait before it sends
 * further ones, because a refused body costs its sender nothing: no event counts against its rate.
 */
export class HeavyBodies {
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: maxRememberedCallers });
  readonly #pause = createRefusalPause();
  readonly #lastByCaller = new Map<string, Promise<unknown>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Throws RATE_LIMITED, after a pause, while the caller's refused bodies have cost too much. Meanwhile nothing of the body is
   * read.
   */
  async requireAllowance(caller: string, signal: AbortSignal): Promise<void> {
    const refusal = this.#findRefusal(caller);
    if (!refusal) return;
    await this.#pause(signal);
    throw refusal;
  }

  #findRefusal(caller: string): ApiError | undefined {
    const waitSeconds = this.#buckets.get(caller)?.take(0, refusedWork, this.#now()) ?? 0;
    if (waitSeconds === 0) return undefined;
    const message = 'Too many of your large requests were refused. Correct them and retry later.';
    return new ApiError('RATE_LIMITED', message, { retryAfterSeconds: Math.ceil(waitSeconds) });
  }

  /** Runs `work` after the caller's earlier work. Throws RATE_LIMITED if the earlier work used up the allowance. */
  async run<Done>(caller: string, work: () => Done | Promise<Done>): Promise<Done> {
    const previous = this.#lastByCaller.get(caller);
    const done = (async () => {
      await previous;
      await nextEventLoopTurn();
      const refusal = this.#findRefusal(caller);
      if (refusal) throw refusal;
      return work();
    })();
    const settled = done.then(ignore, ignore);
    this.#lastByCaller.set(caller, settled);
    try {
      return await done;
    } finally {
      if (this.#lastByCaller.get(caller) === settled) this.#lastByCaller.delete(caller);
    }
  }

  /** Counts a refused body, which cost `busyMs`. */
  countRefused(caller: string, busyMs: number): void {
    const bucket = this.#buckets.get(caller) ?? new TokenBucket();
    this.#buckets.set(caller, bucket);
    bucket.charge(busyMs, refusedWork, this.#now());
  }
}
