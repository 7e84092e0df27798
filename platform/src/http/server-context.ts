import type { Authenticate } from '../auth/access.ts';
import type { Log } from '../telemetry/index.ts';
import type { ByteBudget, ConcurrencyLimiter, ServerLimits } from './limits.ts';
import type { HttpMetrics } from './metrics.ts';
import type { RateLimits } from './rate-limits.ts';

/** State that all requests of a server share. */
export interface ServerContext {
  readonly authenticate: Authenticate;
  /** If undefined, requests are not rate limited. */
  readonly rates: RateLimits | undefined;
  readonly budget: ByteBudget;
  readonly concurrency: ConcurrencyLimiter;
  readonly limits: Pick<
    ServerLimits,
    'bodyTimeoutMs' | 'bodyIdleTimeoutMs' | 'responseTimeoutMs' | 'responseBytesPerMs'
  >;
  readonly metrics: HttpMetrics;
  readonly log: Log;
}
