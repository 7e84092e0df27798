import type { IncomingMessage } from 'node:http';
import type { Access, Principal } from '../auth/principal.ts';
import type { Log } from '../telemetry/index.ts';
import type { ByteBudget } from './body/byte-budget.ts';
import type { HttpMetrics } from './http-metrics.ts';
import type { ServerLimits } from './limits.ts';
import type { Pace } from './pace.ts';
import type { RateLimits } from './rates/rate-limits.ts';

export type ProtectedAccess = Exclude<Access, 'public' | 'monitoring'>;

/** Proves who asks, or throws the refusal that says what is missing. */
export type Authenticate = (request: IncomingMessage, access: ProtectedAccess) => Promise<Principal>;

/** What every request passes. */
export interface ServerContext {
  readonly authenticate: Authenticate;
  /** Without it nobody's rate is limited. */
  readonly rates: RateLimits | undefined;
  readonly budget: ByteBudget;
  readonly pace: Pace;
  readonly limits: Pick<
    ServerLimits,
    'bodyTimeoutMs' | 'bodyIdleTimeoutMs' | 'responseTimeoutMs' | 'responseBytesPerMs'
  >;
  readonly metrics: HttpMetrics;
  readonly log: Log;
}
