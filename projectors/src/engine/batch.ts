import type { HandledEvent, ParkedEvent, SettledParkedEvents } from '@popsvc/platform/postgres';
import type { SealedBatch } from './projection.ts';

export interface Batch {
  readonly sealed: SealedBatch;
  readonly after: bigint;
  readonly upTo: bigint;
  readonly events: number;
  readonly items: number;
  readonly asOfMs: number;
  /** When the oldest event of the batch was appended, in ms since 1970. */
  readonly sinceMs: number;
  /** The last event of the batch that is not a probe (an event that only shows freshness). Undefined if it has only probes. */
  readonly event?: HandledEvent | undefined;
  readonly parked: readonly ParkedEvent[];
  /** For the batch of an operator's decision: the parked items that it released, discarded, or failed to fold again. */
  readonly settled?: SettledParkedEvents | undefined;
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly ageMs: number;
  /** Maximum age of the open batch while the projection catches up with the log, in ms; default `ageMs`. */
  readonly catchUpAgeMs?: number;
  /**
   * Maximum number of facts or stale rows in a time window that is derived at once; a window of one second may have more. Default 200,000.
   */
  readonly maxWindowRows?: number;
  /** Number of pairs of facts above which a computation is divided into smaller ones; default 100,000. */
  readonly unitPairs?: number;
  /** Number of pairs of facts above which a computation of a batch puts off the networks with the most pairs; default 400,000. */
  readonly batchPairs?: number;
}

/**
 * Batch limits of live generations. Half or twice as many rows per batch take more CPU time for each play. `ageMs` bounds the delay of a
 * read model with few events. A batch of ten plays costs ClickHouse about as much as one of ten thousand, so a projection that catches up
 * waits longer, up to `catchUpAgeMs`.
 */
export const liveBatchLimits: BatchLimits = { rows: 40_000, bytes: 32_000_000, ageMs: 250, catchUpAgeMs: 1_000 };

/** Returns whether a batch is full. `rows` also limits its items, because some items add no rows. */
export const isLarge = (
  { rows, bytes }: BatchLimits,
  pending: { readonly rows: number; readonly bytes: number },
  items: number,
): boolean => pending.rows >= rows || pending.bytes >= bytes || items >= rows;
