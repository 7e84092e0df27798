import { getHeapStatistics } from 'node:v8';

/** What one server takes on at once and how long it waits; everything past it is refused, never queued. */
export interface ServerLimits {
  readonly connections: number;
  readonly requestsInFlight: number;
  /** Of requests that are paced, as many are let in as are answered in so many ms. */
  readonly targetLatencyMs: number;
  readonly bodyBytesInFlight: number;
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  /** For a body to arrive that is read whole. */
  readonly bodyTimeoutMs: number;
  /** For the next piece of a body to arrive that is read as it comes; such a body may take as long as it likes. */
  readonly bodyIdleTimeoutMs: number;
  /** For an answer to be taken that is held whole; a long one has as much more as its bytes take at the rate below. */
  readonly responseTimeoutMs: number;
  readonly responseBytesPerMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long requests may take to finish once the server is asked to stop. */
  readonly drainTimeoutMs: number;
}

/** A body is several times its size once it is read. Node takes the heap's limit from the memory that the machine or container has. */
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
