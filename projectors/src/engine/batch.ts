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
