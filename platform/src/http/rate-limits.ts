import { isIPv6 } from 'node:net';
import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import type { Principal, Rates } from '../auth/access.ts';
import type { ResponseHeaders } from '../endpoints/response.ts';
import { Counter, type Registry } from '../telemetry/index.ts';

/** Refill rate and capacity of a token bucket. */
export interface RefillRate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * A token bucket. A cost above the capacity passes when the bucket is full and leaves it in debt. Own code, because npm's
 * `limiter` rejects such a cost forever and `rate-limiter-flexible` counts in fixed windows, at whose boundaries twice the rate
 * passes.
 */
export class TokenBucket {
  /** Undefined until first used: the bucket is full. */
  #tokens: number | undefined;
  #atMs = 0;

  /** Takes tokens and returns 0, or takes none and returns the seconds until there are enough. `nowMs` must not decrease. */
  take(cost: number, rate: RefillRate, nowMs: number): number {
    const tokens = this.#at(rate, nowMs);
    const due = Math.min(cost, rate.burst);
    if (tokens < due) return (due - tokens) / rate.perSecond;
    this.#tokens = tokens - cost;
    return 0;
  }

  /** Whole tokens available now. */
  left(rate: RefillRate, nowMs: number): number {
    return Math.max(0, Math.floor(this.#at(rate, nowMs)));
  }

  /** Seconds until the bucket is full. */
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
 * Builds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). The quota is the burst and the window is
 * its refill time: a sender that keeps to both is never rejected.
 */
const rateHeaders = (quotas: readonly Quota[]): ResponseHeaders => ({
  'RateLimit-Policy': quotas
    .map(({ unit, rate: { burst, perSecond } }) => `"${unit}";q=${burst};qu="${unit}";w=${burst / perSecond}`)
    .join(', '),
  RateLimit: quotas.map(({ unit, left, fullIn }) => `"${unit}";r=${left};t=${Math.ceil(fullIn)}`).join(', '),
});

/** The counted unit. */
type Unit = 'requests' | 'events';

/** The remaining rate of an API key. */
export interface Allowance {
  /** Counts units, or throws RATE_LIMITED and does not count them. Ignores units that this server does not limit. */
  spend(unit: Unit, count: number): void;
  /** Builds the rate limit headers of a response. */
  headers(): ResponseHeaders;
}

export interface RateLimits {
  /** Returns the allowance of a caller; undefined for callers other than API keys, which have no limit. */
  allowanceOf(principal: Principal | undefined): Allowance | undefined;
}

interface RateLimitOptions {
  readonly units: readonly Unit[];
  /** Monotonic clock, in ms. */
  readonly now?: () => number;
}

type Buckets = Readonly<Record<Unit, TokenBucket>>;

/** The burst, in seconds of the sustained rate. */
const burstSeconds = 2;
/** Number of keys remembered. A key that was evicted starts with full buckets. */
const maxRememberedKeys = 10_000;
const rateOf: Readonly<Record<Unit, keyof Rates>> = { requests: 'requestsPerSecond', events: 'eventsPerSecond' };

/** Creates the rate limits of API keys. They are counted per process. */
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

/** Limits attempts by callers that have no API key, such as sign-in attempts by address. */
export interface AttemptLimiter {
  /** Counts an attempt, or throws RATE_LIMITED and does not count it. */
  count(name: string): void;
}

interface AttemptLimiterOptions {
  readonly rate: RefillRate;
  /** Error message for callers that exceed the rate. */
  readonly message: string;
  /** Monotonic clock, in ms. */
  readonly now?: (() => number) | undefined;
}

/** Number of keys remembered. A key that was evicted starts with a full bucket. */
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
 * Returns the part of an address that identifies a subscriber: the /64 network of an IPv6 address, because a subscriber owns at
 * least that many addresses, else the whole address.
 */
export const clientAddressKey = (peer: string): string => {
  if (!isIPv6(peer) || peer.startsWith('::ffff:')) return peer;
  const [head = '', tail] = peer.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
};
