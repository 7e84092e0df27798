import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import { clientAddressKey, createAttemptLimiter, type RefillRate, TokenBucket } from './rate-limits.ts';

const pauseMs = 1_000;
/** A paused request counts as in flight. If this many are paused, further refusals are sent at once. */
const maxPaused = 64;

/** Pauses refusals before they are sent, so that a caller cannot repeat a refused request at once. */
class RefusalPause {
  #paused = 0;

  get isFull(): boolean {
    return this.#paused >= maxPaused;
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (this.isFull) return;
    this.#paused += 1;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    this.#paused -= 1;
  }
}

/** Ms of work that a caller's refused requests may cause. */
const refusedWork = { perSecond: 10, burst: 400 };
/** Ms. A caller may therefore send 40 small invalid requests a second, and 1,600 at once. */
const leastCostMs = 0.25;
const maxRememberedCallers = 10_000;

/** Limits the work that the invalid requests of one caller may cause. */
export class RefusedRequests {
  readonly #message: string;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: maxRememberedCallers });
  readonly #pause = new RefusalPause();
  readonly #errors = new LRUCache<number, ApiError>({ max: 100 });
  /** Callers that must wait, by the hash of their credential. */
  readonly #waiting = new LRUCache<string, string>({ max: maxRememberedCallers });

  /** `now`: ms on a monotonic clock. */
  constructor(message: string, now: () => number = () => performance.now()) {
    this.#message = message;
    this.#now = now;
  }

  /** `busyMs`: how long the request kept the event loop busy. */
  count(caller: string, busyMs: number): void {
    const bucket = this.#buckets.get(caller) ?? new TokenBucket();
    this.#buckets.set(caller, bucket);
    bucket.charge(Math.max(busyMs, leastCostMs), refusedWork, this.#now());
  }

  #refusalOf(caller: string): ApiError | undefined {
    const waitSeconds = this.#buckets.get(caller)?.take(0, refusedWork, this.#now()) ?? 0;
    return waitSeconds === 0 ? undefined : this.#errorAfter(Math.ceil(waitSeconds));
  }

  /** Reuses errors, because creating a stack trace is expensive. */
  #errorAfter(retryAfterSeconds: number): ApiError {
    const before = this.#errors.get(retryAfterSeconds);
    if (before) return before;
    const error = new ApiError('RATE_LIMITED', this.#message, { retryAfterSeconds });
    this.#errors.set(retryAfterSeconds, error);
    return error;
  }

  /** Throws RATE_LIMITED while the caller's refused requests have cost too much. */
  requireAllowance(caller: string): void {
    const refusal = this.#refusalOf(caller);
    if (refusal) throw refusal;
  }

  /** Throws RATE_LIMITED like `requireAllowance`, but after a pause unless too many refusals are paused. */
  async throttleCaller(caller: string, signal: AbortSignal, headers?: IncomingHttpHeaders): Promise<void> {
    const refusal = this.#refusalOf(caller);
    if (!refusal) return;
    const credential = headers && credentialOf(headers);
    if (credential !== undefined) this.#waiting.set(hash('sha256', credential), caller);
    await this.#pause.wait(signal);
    throw refusal;
  }

  /** Needs only headers, so the server can refuse a flood of requests before it spends time on authentication and routing. */
  refuseEarly(headers: IncomingHttpHeaders): ApiError | undefined {
    if (!this.#pause.isFull || this.#waiting.size === 0) return undefined;
    const credential = credentialOf(headers);
    const caller = credential === undefined ? undefined : this.#waiting.get(hash('sha256', credential));
    return caller === undefined ? undefined : this.#refusalOf(caller);
  }
}

const credentialOf = ({ 'x-api-key': key, authorization }: IncomingHttpHeaders): string | undefined => {
  if (key !== undefined && authorization !== undefined) return undefined;
  return typeof key === 'string' ? key : authorization;
};

export interface GuessLimiter {
  /**
   * Throws RATE_LIMITED after a pause if the address has exceeded the rate. Count only wrong credentials: callers behind one proxy share an
   * address.
   */
  count(remoteAddress: string, signal: AbortSignal): Promise<void>;
}

interface GuessLimiterOptions {
  readonly rate: RefillRate;
  readonly message: string;
  /** Ms on a monotonic clock. */
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
