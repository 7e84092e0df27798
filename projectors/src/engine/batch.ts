import type { ParkedEvent, SettledParkedEvents, Tally } from '@popsvc/platform/postgres';
import type { SealedBatch } from './projection.ts';

export interface Batch {
  readonly sealed: SealedBatch;
  readonly after: bigint;
  readonly upTo: bigint;
  readonly events: number;
  readonly asOfMs: number;
  /** What became of its events, where that is counted. */
  readonly tally: Tally;
  readonly parked: readonly ParkedEvent[];
  /** What became of events that were parked. */
  readonly settled?: SettledParkedEvents | undefined;
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly ageMs: number;
  /** The same until the log was caught up with, while nobody waits for the newest; default `ageMs`. */
  readonly catchUpAgeMs?: number;
  /** How many rows that the registry made stale are computed again at a time; default 200,000. */
  readonly maxWindowRows?: number;
}

/**
 * ClickHouse likes inserts of about 10,000 rows, which is two tables here; the age bounds how stale a quiet projection may be. What a
 * batch costs besides its rows is the same for ten plays and ten thousand, so who is behind waits for more of them.
 */
export const liveBatchLimits: BatchLimits = { rows: 20_000, bytes: 16_000_000, ageMs: 250, catchUpAgeMs: 1_000 };

/** Whether a batch of so many events holds enough. */
export const isLarge = (
  { rows, bytes }: BatchLimits,
  pending: { readonly rows: number; readonly bytes: number },
  events: number,
): boolean => pending.rows >= rows || pending.bytes >= bytes || events >= rows;
