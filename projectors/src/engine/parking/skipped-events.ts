import type { ParkingState } from '@popsvc/platform/postgres';
import type { LogItem } from '../log-items.ts';
import { type HasState, isStateStream, type ParkingDecisions } from './decisions.ts';

type Placed = Pick<LogItem, 'sequence' | 'stream'>;

/** The events that a generation does not apply at their own sequence, because they were parked, discarded or retried. */
export interface SkippedEvents {
  readonly decisions: ParkingDecisions;
  /**
   * Returns true when the event is not applied at its own sequence. Such an event is parked, is discarded, or is applied at a
   * later decision that the reader has not reached yet. `readUpTo`: sequence that the reader has reached.
   */
  isSkipped(item: Placed, readUpTo: bigint): boolean;
  /** Returns the sequence of a parked item that precedes this one in its state stream; undefined when there is none. */
  findParkedBefore(item: Placed): bigint | undefined;
  park(item: Placed): void;
  release(sequence: bigint): void;
}

/** Creates the set of events that a generation skips. `events`: its parked and discarded events, as stored in PostgreSQL. */
export const createSkippedEvents = (
  projection: HasState,
  decisions: ParkingDecisions,
  { events }: Pick<ParkingState, 'events'> = { events: [] },
): SkippedEvents => {
  const discarded = new Set<bigint>();
  const parked = new Map<bigint, string>();
  /**
   * Sequences of the parked items in each state stream. They are also in `parked`, but that map can hold a million facts and
   * would be slow to search.
   */
  const ofStreams = new Map<string, Set<bigint>>();
  const keep = ({ sequence, stream }: Placed) => {
    parked.set(sequence, stream);
    if (isStateStream(projection, stream)) ofStreams.set(stream, (ofStreams.get(stream) ?? new Set()).add(sequence));
  };
  for (const event of events)
    if (event.state === 'parked') keep(event);
    else discarded.add(event.sequence);
  return {
    decisions,
    isSkipped(item, readUpTo) {
      const { sequence } = item;
      if (discarded.has(sequence) || decisions.isDiscarded(item) || parked.has(sequence)) return true;
      const at = decisions.appliedAt(item);
      return at !== undefined && at > readUpTo;
    },
    findParkedBefore({ sequence, stream }) {
      for (const at of ofStreams.get(stream) ?? []) if (at < sequence) return at;
      return undefined;
    },
    park(item) {
      // Only items of state streams are kept. A fact need not be kept, because this run does not read it again.
      if (isStateStream(projection, item.stream)) keep(item);
    },
    release(sequence) {
      ofStreams.get(parked.get(sequence) ?? '')?.delete(sequence);
      parked.delete(sequence);
    },
  };
};
