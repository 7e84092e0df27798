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
  /** For an operator's decision: what happened to each parked event that it names. Undefined for other batches. */
  readonly settled?: SettledParkedEvents | undefined;
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly ageMs: number;
  /** Maximum age of the open batch while the projection catches up with the log, in ms; default `ageMs`. */
  readonly catchUpAgeMs?: number;
  /** Maximum number of stale rows that one statement recomputes after a registry change; default 200,000. */
  readonly maxWindowRows?: number;
  /** Maximum number of pairs of facts that one set of statements joins; default 100,000. */
  readonly unitPairs?: number;
  /** Maximum number of pairs of facts that the derivation of one batch joins; default 400,000. */
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
