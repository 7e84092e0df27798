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
 * A full bucket accepts even a cost above its capacity, and the number of tokens becomes negative. The package `limiter` refuses such a
 * cost; `rate-limiter-flexible` counts in fixed windows, which admit twice the rate around a boundary.
 */
export class TokenBucket {
  #tokens: number | undefined;
  #atMs = 0;

  /** Returns 0, or takes nothing and returns the seconds until the bucket has enough. `nowMs` must not decrease. */
  take(cost: number, rate: RefillRate, nowMs: number): number {
    const tokens = this.#at(rate, nowMs);
    const due = Math.min(cost, rate.burst);
    if (tokens < due) return (due - tokens) / rate.perSecond;
    this.#tokens = tokens - cost;
    return 0;
  }

  /** Takes tokens even if the bucket has too few. */
  charge(cost: number, rate: RefillRate, nowMs: number): void {
    this.#tokens = this.#at(rate, nowMs) - cost;
  }

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
  /** In seconds. */
  readonly fullIn: number;
}

/**
 * draft-ietf-httpapi-ratelimit-headers-10: the quota is the burst capacity, and the window is the time in which an empty bucket refills.
 */
const rateHeaders = (quotas: readonly Quota[]): ResponseHeaders => ({
  'RateLimit-Policy': quotas
    .map(({ unit, rate: { burst, perSecond } }) => `"${unit}";q=${burst};qu="${unit}";w=${burst / perSecond}`)
    .join(', '),
  RateLimit: quotas.map(({ unit, left, fullIn }) => `"${unit}";r=${left};t=${Math.ceil(fullIn)}`).join(', '),
});

type Unit = 'requests' | 'events';

export interface Allowance {
  /** Counts nothing and throws RATE_LIMITED if the quota does not suffice. Ignores units that this server does not limit. */
  spend(unit: Unit, count: number): void;
  headers(): ResponseHeaders;
}

export interface RateLimits {
  /** Returns undefined for callers without an API key: they have no rate limits. */
  allowanceOf(principal: Principal | undefined): Allowance | undefined;
}

interface RateLimitOptions {
  readonly units: readonly Unit[];
  /** Ms on a monotonic clock. */
  readonly now?: () => number;
}

type Buckets = Readonly<Record<Unit, TokenBucket>>;

const burstSeconds = 2;
/** An evicted key starts with full buckets when it is used again. */
const maxRememberedKeys = 10_000;
const rateOf: Readonly<Record<Unit, keyof Rates>> = { requests: 'requestsPerSecond', events: 'eventsPerSecond' };

/** Rate limits of API keys. Each process counts separately. */
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

export interface AttemptLimiter {
  /** Throws RATE_LIMITED, without counting the attempt, if `name` has exceeded the rate. */
  count(name: string): void;
}

interface AttemptLimiterOptions {
  readonly rate: RefillRate;
  readonly message: string;
  /** Ms on a monotonic clock. */
  readonly now?: (() => number) | undefined;
}

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

/** An IPv6 subscriber usually has a whole /64 network, so only those 64 bits identify the subscriber. */
export const clientAddressKey = (peer: string): string => {
  if (!isIPv6(peer) || peer.startsWith('::ffff:')) return peer;
  const [head = '', tail] = peer.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
};
