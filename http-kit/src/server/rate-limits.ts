import { isIPv6 } from 'node:net';
import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import type { Principal, Rates } from '../auth/access.ts';
import type { ResponseHeaders } from '../endpoints/response.ts';
import { Counter, type Registry } from '@popsvc/platform/telemetry';

export interface RefillRate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * A token bucket. If the bucket is full, it accepts even a cost above its capacity, and the number of tokens becomes negative. No
 * npm package is used: `limiter` never accepts such a cost, and `rate-limiter-flexible` counts in fixed windows, which admit
 * twice the rate around a window boundary.
 */
export class TokenBucket {
  /** Undefined before the first use, when the bucket is full. */
  #tokens: number | undefined;
  #atMs = 0;

  /**
   * Takes `cost` tokens and returns 0. If the bucket has too few tokens, takes none and returns the seconds until it has enough.
   * `nowMs` must not decrease.
   */
  take(cost: number, rate: RefillRate, nowMs: number): number {
    const tokens = this.#at(rate, nowMs);
    const due = Math.min(cost, rate.burst);
    if (tokens < due) return (due - tokens) / rate.perSecond;
    this.#tokens = tokens - cost;
    return 0;
  }

  /** Takes `cost` tokens, even if the bucket has too few. */
  charge(cost: number, rate: RefillRate, nowMs: number): void {
    this.#tokens = this.#at(rate, nowMs) - cost;
  }

  /** Returns the number of whole tokens now available. */
  left(rate: RefillRate, nowMs: number): number {
    return Math.max(0, Math.floor(this.#at(rate, nowMs)));
  }

  fullIn(rate: RefillRate, nowMs: number): number {
    return (rate.burst - this.#at(rate, nowMs)) / rate.perSecond;
  }

  #at({ perSecond, burst }: RefillRate, nowMs: number): number {
    const before = this.#tokens ?? burst;
    this.#tokens = Math.min(burst, before + ((nowMs - this.#atMs) / 1_000) * perSecond);
    this.#atMs = nowMs;
    return this.#tokens;
  }
}

interface Quota {
  readonly unit: string;
  readonly rate: RefillRate;
  readonly left: number;
  /** Seconds until the quota is full again. */
  readonly fullIn: number;
}

/**
 * Builds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). The quota is the burst capacity, and the window is
 * the time that an empty bucket takes to refill.
 */
const rateHeaders = (quotas: readonly Quota[]): ResponseHeaders => ({
  'RateLimit-Policy': quotas
    .map(({ unit, rate: { burst, perSecond } }) => `"${unit}";q=${burst};qu="${unit}";w=${burst / perSecond}`)
    .join(', '),
  RateLimit: quotas.map(({ unit, left, fullIn }) => `"${unit}";r=${left};t=${Math.ceil(fullIn)}`).join(', '),
});

type Unit = 'requests' | 'events';

/** The remaining quota of an API key. */
export interface Allowance {
  /**
   * Counts units against the quota. If the token bucket rejects them, counts nothing and throws RATE_LIMITED. Ignores units that
   * this server does not limit.
   */
  spend(unit: Unit, count: number): void;
  headers(): ResponseHeaders;
}

export interface RateLimits {
  /** Returns the allowance of an API key, or undefined for other callers, which have no rate limits. */
  allowanceOf(principal: Principal | undefined): Allowance | undefined;
}

interface RateLimitOptions {
  readonly units: readonly Unit[];
  /** Returns the time on a monotonic clock, in ms. */
  readonly now?: () => number;
}

type Buckets = Readonly<Record<Unit, TokenBucket>>;

/** The burst capacity is the sustained rate multiplied by this number of seconds. */
const burstSeconds = 2;
/** Maximum number of API keys whose buckets are in memory. When an evicted key is used again, it starts with full buckets. */
const maxRememberedKeys = 10_000;
const rateOf: Readonly<Record<Unit, keyof Rates>> = { requests: 'requestsPerSecond', events: 'eventsPerSecond' };

/** Creates the rate limits of API keys. Each process counts separately. */
export const createRateLimits = (
  registry: Registry,
  { units, now = () => performance.now() }: RateLimitOptions,
): RateLimits => {
  const bucketsByKey = new LRUCache<string, Buckets>({ max: maxRememberedKeys });
  const rejections = new Counter({
    name: 'popsvc_rate_limited_total',
    help: 'Requests rejected because their API key exceeded its rate, by unit.',
    labelNames: ['unit'] as const,
    registers: [registry],
  });

  const bucketsOf = (keyId: string): Buckets => {
    const before = bucketsByKey.get(keyId);
    if (before) return before;
    const made = { requests: new TokenBucket(), events: new TokenBucket() };
    bucketsByKey.set(keyId, made);
    return made;
  };

  const allowance = (buckets: Buckets, rates: Rates): Allowance => ({
    spend(unit, count) {
      if (!units.includes(unit)) return;
      const rate = refillRateOf(rates, unit);
      const waitSeconds = buckets[unit].take(count, rate, now());
      if (waitSeconds === 0) return;
      rejections.inc({ unit });
      throw new ApiError('RATE_LIMITED', `This key may send ${rate.perSecond} ${unit} a second.`, {
        retryAfterSeconds: Math.ceil(waitSeconds),
      });
    },
    headers: () =>
      rateHeaders(
        units.map((unit) => {
          const [bucket, rate, nowMs] = [buckets[unit], refillRateOf(rates, unit), now()];
          return { unit, rate, left: bucket.left(rate, nowMs), fullIn: bucket.fullIn(rate, nowMs) };
        }),
      ),
  });

  return {
    allowanceOf: (principal) =>
      principal?.kind === 'api-key' ? allowance(bucketsOf(principal.keyId), principal.rates) : undefined,
  };
};

const refillRateOf = (rates: Rates, unit: Unit): RefillRate => {
  const perSecond = rates[rateOf[unit]];
  return { perSecond, burst: perSecond * burstSeconds };
};

/** Limits attempts by callers that have no API key, for example the sign-in attempts from one address. */
export interface AttemptLimiter {
  /**
   * Counts one attempt. `name` identifies the caller, for example by address. If the caller has exceeded the rate, throws
   * RATE_LIMITED and does not count the attempt.
   */
  count(name: string): void;
}

interface AttemptLimiterOptions {
  readonly rate: RefillRate;
  /** Error message for callers that exceed the rate limit. */
  readonly message: string;
  /** Returns the time on a monotonic clock, in ms. */
  readonly now?: (() => number) | undefined;
}

/** Maximum number of names whose buckets are in memory. When an evicted name is used again, it starts with a full bucket. */
const maxRememberedKeysOfAttempts = 10_000;

export const createAttemptLimiter = ({
  rate,
  message,
  now = () => performance.now(),
}: AttemptLimiterOptions): AttemptLimiter => {
  const buckets = new LRUCache<string, TokenBucket>({ max: maxRememberedKeysOfAttempts });
  return {
    count(name) {
      const bucket = buckets.get(name) ?? new TokenBucket();
      buckets.set(name, bucket);
      const waitSeconds = bucket.take(1, rate, now());
      if (waitSeconds > 0) throw new ApiError('RATE_LIMITED', message, { retryAfterSeconds: Math.ceil(waitSeconds) });
    },
  };
};

/**
 * Returns the part of an IP address that identifies an internet subscriber: the whole address for IPv4, and the /64 network for IPv6,
 * because an IPv6 subscriber usually has at least one /64 network.
 */
export const clientAddressKey = (peer: string): string => {
  if (!isIPv6(peer) || peer.startsWith('::ffff:')) return peer;
  const [head = '', tail] = peer.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
};
