import type { HandledEvent, ParkedEvent, SettledParkedEvents } from '@popsvc/platform/postgres';
import type { SealedBatch } from './projection.ts';

export interface Batch {
  readonly sealed: SealedBatch;
  readonly after: bigint;
  readonly upTo: bigint;
  readonly events: number;
  readonly items: number;
  readonly asOfMs: number;
  /** When the oldest event was appended, in ms since 1970. */
  readonly sinceMs: number;
  /** The last event that is not a freshness probe. */
  readonly event?: HandledEvent | undefined;
  readonly parked: readonly ParkedEvent[];
  readonly settled?: SettledParkedEvents | undefined;
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly ageMs: number;
  /** Maximum age of the open batch during catch-up, in ms; default `ageMs`. */
  readonly catchUpAgeMs?: number;
  /** Maximum facts or stale rows in a derived time window; default 200,000. A window of one second may have more. */
  readonly maxWindowRows?: number;
  /** Pairs of joined facts above which a computation is divided; default 100,000. */
  readonly unitPairs?: number;
  /** Pairs of joined facts above which a batch puts off the networks with the most pairs; default 400,000. */
  readonly batchPairs?: number;
}

/**
 * Half or twice as many rows per batch take more CPU time for each play. A batch of ten plays costs ClickHouse about as much as one of ten
 * thousand.
 */
export const liveBatchLimits: BatchLimits = { rows: 40_000, bytes: 32_000_000, ageMs: 250, catchUpAgeMs: 1_000 };

/** `rows` also limits items, because some items add no rows. */
export const isLarge = (
  { rows, bytes }: BatchLimits,
  pending: { readonly rows: number; readonly bytes: number },
  items: number,
): boolean => pending.rows >= rows || pending.bytes >= bytes || items >= rows;
