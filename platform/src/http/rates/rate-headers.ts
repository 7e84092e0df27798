import type { ResponseHeaders } from '../answer.ts';
import type { RefillRate } from './token-bucket.ts';

export interface Quota {
  readonly unit: string;
  readonly filling: RefillRate;
  readonly left: number;
  /** Seconds until the whole quota is there again. */
  readonly fullIn: number;
}

/**
 * `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10 has them. The quota is the burst, and the window
 * the time in which that much fills: a sender who keeps to it is never refused.
 */
export const rateHeaders = (quotas: readonly Quota[]): ResponseHeaders => ({
  'RateLimit-Policy': quotas
    .map(({ unit, filling: { burst, perSecond } }) => `"${unit}";q=${burst};qu="${unit}";w=${burst / perSecond}`)
    .join(', '),
  RateLimit: quotas.map(({ unit, left, fullIn }) => `"${unit}";r=${left};t=${Math.ceil(fullIn)}`).join(', '),
});
