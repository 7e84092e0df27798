import type { LogEvent } from '@popsvc/platform/event-store';
import type { ParkingState } from '@popsvc/platform/postgres';
import { type HasState, isStateStream, type ParkingDecisions } from './decisions.ts';

type Placed = Pick<LogEvent, 'position' | 'stream'>;

/** The events that a generation does not apply at their own position, because they were parked, discarded or retried. */
export interface SkippedEvents {
  readonly decisions: ParkingDecisions;
  /**
   * Returns true when the event is not applied at its own position. Such an event is parked, is discarded, or is applied at a
   * later decision that the reader has not reached yet. `readUpTo`: log position of the reader.
   */
  isSkipped(event: Placed, readUpTo: bigint): boolean;
  /** Returns the position of a parked event that precedes this one in its state stream; undefined when there is none. */
  findParkedBefore(event: Placed): bigint | undefined;
  park(event: Placed): void;
  release(position: bigint): void;
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
   * Positions of the parked events in each state stream. They are also in `parked`, but that map can hold a million facts and
   * would be slow to search.
   */
  const ofStreams = new Map<string, Set<bigint>>();
  const keep = ({ position, stream }: Placed) => {
    parked.set(position, stream);
    if (isStateStream(projection, stream)) ofStreams.set(stream, (ofStreams.get(stream) ?? new Set()).add(position));
  };
  for (const event of events)
    if (event.state === 'parked') keep(event);
    else discarded.add(event.position);
  return {
    decisions,
    isSkipped(event, readUpTo) {
      const { position } = event;
      if (discarded.has(position) || decisions.isDiscarded(event) || parked.has(position)) return true;
      const at = decisions.appliedAt(event);
      return at !== undefined && at > readUpTo;
    },
    findParkedBefore({ position, stream }) {
      for (const at of ofStreams.get(stream) ?? []) if (at < position) return at;
      return undefined;
    },
    park(event) {
      // Only events of state streams are kept. A fact need not be kept, because this run does not read it again.
      if (isStateStream(projection, event.stream)) keep(event);
    },
    release(position) {
      ofStreams.get(parked.get(position) ?? '')?.delete(position);
      parked.delete(position);
    },
  };
};
