import type { ParkedEvent, SettledEvents } from '@popsvc/platform/records';
import type { Sealed } from './projection.ts';

export interface Batch {
  readonly sealed: Sealed;
  readonly after: bigint;
  readonly upTo: bigint;
  readonly events: number;
  readonly asOfMs: number;
  readonly parked: readonly ParkedEvent[];
  /** What became of events that were parked. */
  readonly settled?: SettledEvents | undefined;
}
