import type { Authenticate } from '../auth/access.ts';
import type { Log } from '@popsvc/platform/telemetry';
import type { AcquireSlot, CallerLedger } from './caller-ledger.ts';
import type { HeavyBodies } from './heavy-bodies.ts';
import type { CrossOrigin } from './cross-origin.ts';
import type { GuessLimiter, RefusedRequests } from './refused-requests.ts';
import type { ConcurrencyLimiter, ServerLimits } from './limits.ts';
import type { HttpMetrics } from './metrics.ts';
import type { RateLimits } from './rate-limits.ts';

export interface ServerContext {
  readonly authenticate: Authenticate;
  readonly wrongCredentials: GuessLimiter;
  /** If undefined, API keys have no rate limits. */
  readonly rates: RateLimits | undefined;
  readonly bodyLedger: CallerLedger;
  readonly acquireBodySlot: AcquireSlot;
  readonly heavyBodies: HeavyBodies;
  /** Limits only further large bodies of the caller; `refusedRequests` limits all requests of the caller. */
  readonly refusedBodies: RefusedRequests;
  readonly refusedRequests: RefusedRequests;
  readonly concurrency: ConcurrencyLimiter;
  readonly limits: Pick<
    ServerLimits,
    'bodyTimeoutMs' | 'bodyIdleTimeoutMs' | 'bodyBytesPerMs' | 'responseTimeoutMs' | 'responseBytesPerMs'
  >;
  readonly crossOrigin: CrossOrigin;
  readonly metrics: HttpMetrics;
  readonly log: Log;
}
