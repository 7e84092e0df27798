import { getHeapStatistics } from 'node:v8';
import type { Authenticate } from '../auth/access.ts';
import type { Log } from '../telemetry/index.ts';
import type { ByteBudget, Pace } from './load-shedding.ts';
import type { HttpMetrics } from './metrics.ts';
import type { RateLimits } from './rate-limits.ts';

/** Load limits and timeouts of a server. Requests beyond a limit are rejected, never queued. */
export interface ServerLimits {
  readonly connections: number;
  readonly requestsInFlight: number;
  /** Target latency of concurrency-limited routes: as many requests are admitted as are answered within it. */
  readonly targetLatencyMs: number;
  readonly bodyBytesInFlight: number;
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  /** Time limit for a body that is read into memory. */
  readonly bodyTimeoutMs: number;
  /** Time limit for the next chunk of a streamed body; the whole body has no limit. */
  readonly bodyIdleTimeoutMs: number;
  /** Time limit for the caller to receive a buffered response, plus the time its bytes take at `responseBytesPerMs`. */
  readonly responseTimeoutMs: number;
  readonly responseBytesPerMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Time limit for running requests after shutdown begins. */
  readonly drainTimeoutMs: number;
}

/** A parsed body takes several times its size. Node derives the heap limit from the memory of the machine or container. */
const bodyBytesInFlight = Math.min(128 * 1024 * 1024, Math.floor(getHeapStatistics().heap_size_limit / 8));

export const defaultServerLimits: ServerLimits = {
  connections: 2_048,
  requestsInFlight: 512,
  targetLatencyMs: 1_000,
  bodyBytesInFlight,
  headerBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  bodyIdleTimeoutMs: 30_000,
  responseTimeoutMs: 30_000,
  responseBytesPerMs: 64,
  keepAliveTimeoutMs: 65_000,
  drainTimeoutMs: 8_000,
};

/** What all requests of a server share. */
export interface ServerContext {
  readonly authenticate: Authenticate;
  /** Without it, requests are not rate limited. */
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
