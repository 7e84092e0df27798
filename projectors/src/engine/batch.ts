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
  /** The last event of the batch that is not a probe; undefined for a batch of probes. */
  readonly event?: HandledEvent | undefined;
  readonly parked: readonly ParkedEvent[];
  /** The outcome for each parked event named in an operator's decision; undefined for a batch without a decision. */
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
  /** Maximum number of pairs that the derivation of one batch joins; default 400,000. */
  readonly batchPairs?: number;
}

/**
 * Batch limits of live generations. Batches of half or twice as many rows take more CPU time a play. `ageMs` bounds the delay of a
 * read model that receives few events. While a projection catches up, it waits longer for more events, because a batch of ten plays
 * costs ClickHouse about as much as a batch of ten thousand.
 */
export const liveBatchLimits: BatchLimits = { rows: 40_000, bytes: 32_000_000, ageMs: 250, catchUpAgeMs: 1_000 };

/** Whether a batch is full. `rows` limits its items too, because some items add no rows. */
export const isLarge = (
  { rows, bytes }: BatchLimits,
  pending: { readonly rows: number; readonly bytes: number },
  items: number,
): boolean => pending.rows >= rows || pending.bytes >= bytes || items >= rows;
