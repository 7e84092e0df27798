import { ApiError } from '@popsvc/contracts/errors';
import { LRUCache } from 'lru-cache';
import type { Principal, Rates } from '../../auth/principal.ts';
import { Counter, type Registry } from '../../telemetry/index.ts';
import type { ResponseHeaders } from '../answer.ts';
import { rateHeaders } from './rate-headers.ts';
import { type RefillRate, TokenBucket } from './token-bucket.ts';

/** What is counted. */
export type Unit = 'requests' | 'events';

/** What a key may still do here. */
export interface Allowance {
  /** Counts; throws RATE_LIMITED when there is no room, and then counts nothing. Units this server does not count are free. */
  spend(unit: Unit, count: number): void;
  /** What is told of it with every answer. */
  headers(): ResponseHeaders;
}

export interface RateLimits {
  /** Undefined for whom no limit holds: only API keys have them. */
  allowanceOf(principal: Principal | undefined): Allowance | undefined;
}

export interface RateLimitOptions {
  readonly units: readonly Unit[];
  /** Monotonic ms. */
  readonly now?: () => number;
}

type Buckets = Readonly<Record<Unit, TokenBucket>>;

/** Twice what fills in a second may come at once. */
const burstSeconds = 2;
/** A key that is not among so many last seen starts with full buckets again. */
const remembered = 10_000;
const rateOf: Readonly<Record<Unit, keyof Rates>> = { requests: 'requestsPerSecond', events: 'eventsPerSecond' };

/** The rates of API keys, counted in this process alone: another process has buckets of its own. */
export const createRateLimits = (
  registry: Registry,
  { units, now = () => performance.now() }: RateLimitOptions,
): RateLimits => {
  const known = new LRUCache<string, Buckets>({ max: remembered });
  const refused = new Counter({
    name: 'popsvc_rate_limited_total',
    help: 'Requests refused because their key was over its rate, by what there was too much of.',
    labelNames: ['unit'] as const,
    registers: [registry],
  });

  const bucketsOf = (keyId: string): Buckets => {
    const before = known.get(keyId);
    if (before) return before;
    const made = { requests: new TokenBucket(), events: new TokenBucket() };
    known.set(keyId, made);
    return made;
  };

  const allowance = (buckets: Buckets, rates: Rates): Allowance => ({
    spend(unit, count) {
      if (!units.includes(unit)) return;
      const filling = fillingOf(rates, unit);
      const waitSeconds = buckets[unit].take(count, filling, now());
      if (waitSeconds === 0) return;
      refused.inc({ unit });
      throw new ApiError('RATE_LIMITED', `This key may send ${filling.perSecond} ${unit} a second.`, {
        retryAfterSeconds: Math.ceil(waitSeconds),
      });
    },
    headers: () =>
      rateHeaders(
        units.map((unit) => {
          const [bucket, filling, nowMs] = [buckets[unit], fillingOf(rates, unit), now()];
          return { unit, filling, left: bucket.left(filling, nowMs), fullIn: bucket.fullIn(filling, nowMs) };
        }),
      ),
  });

  return {
    allowanceOf: (principal) =>
      principal?.kind === 'api-key' ? allowance(bucketsOf(principal.keyId), principal.rates) : undefined,
  };
};

const fillingOf = (rates: Rates, unit: Unit): RefillRate => {
  const perSecond = rates[rateOf[unit]];
  return { perSecond, burst: perSecond * burstSeconds };
};
