import type { ParkedEvent, SettledParkedEvents, Tally } from '@popsvc/platform/postgres';
import type { SealedBatch } from './projection.ts';

export interface Batch {
  readonly sealed: SealedBatch;
  readonly after: bigint;
  readonly upTo: bigint;
  readonly events: number;
  readonly asOfMs: number;
  /** Outcomes of the events by type; empty for live generations, whose outcomes are not counted. */
  readonly tally: Tally;
  readonly parked: readonly ParkedEvent[];
  /** Outcomes of events that were parked in earlier batches and that this batch's decision names. */
  readonly settled?: SettledParkedEvents | undefined;
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly ageMs: number;
  /** Maximum age while the projection catches up, in ms; default `ageMs`. */
  readonly catchUpAgeMs?: number;
  /** Maximum number of stale rows that one statement recomputes after a registry change; default 200,000. */
  readonly maxWindowRows?: number;
}

/**
 * Limits of the batches of live generations. ClickHouse works best with inserts of about 10,000 rows, and most batches
 * write to two tables, hence 20,000 rows. The maximum age limits how stale a read model with few events becomes. A
 * projection that is catching up collects events for longer: the fixed cost of a batch of ten plays is that of ten thousand.
 */
export const liveBatchLimits: BatchLimits = { rows: 20_000, bytes: 16_000_000, ageMs: 250, catchUpAgeMs: 1_000 };

/** Returns true when a batch with this many rows, bytes and events is full. */
export const isLarge = (
  { rows, bytes }: BatchLimits,
  pending: { readonly rows: number; readonly bytes: number },
  events: number,
): boolean => pending.rows >= rows || pending.bytes >= bytes || events >= rows;
