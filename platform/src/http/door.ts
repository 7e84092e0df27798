import type { IncomingMessage } from 'node:http';
import type { Access, Principal } from '../auth/principal.ts';
import type { Log } from '../runtime/index.ts';
import type { ByteBudget } from './body/byte-budget.ts';
import type { HttpMetrics } from './http-metrics.ts';
import type { Limits } from './limits.ts';
import type { Pace } from './pace.ts';
import type { RateLimits } from './rates/rate-limits.ts';

export type Proof = Exclude<Access, 'public' | 'monitoring'>;

/** Proves who asks, or throws the refusal that says what is missing. */
export type Authenticate = (request: IncomingMessage, access: Proof) => Promise<Principal>;

/** What every request passes. */
export interface Door {
  readonly authenticate: Authenticate;
  /** Without it nobody's rate is limited. */
  readonly rates: RateLimits | undefined;
  readonly budget: ByteBudget;
  readonly pace: Pace;
  readonly limits: Pick<Limits, 'requestMs' | 'idleMs' | 'takeMs' | 'takeBytesPerMs'>;
  readonly metrics: HttpMetrics;
  readonly log: Log;
}
