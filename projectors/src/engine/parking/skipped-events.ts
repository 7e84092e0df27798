import type { LogEvent } from '@popsvc/platform/event-store';
import type { ParkingState } from '@popsvc/platform/postgres';
import { type HasState, isStateStream, type ParkingDecisions } from './decisions.ts';

type Placed = Pick<LogEvent, 'position' | 'stream'>;

/** The events that a generation does not apply at their own position. */
export interface SkippedEvents {
  readonly decisions: ParkingDecisions;
  /** Returns true when the event is not applied by a reader that is at `readUpTo`. */
  isSkipped(event: Placed, readUpTo: bigint): boolean;
  /** The position of a parked event before this one in its state stream; undefined: none. */
  findParkedBefore(event: Placed): bigint | undefined;
  park(event: Placed): void;
  release(position: bigint): void;
}

/** `events`: the parked and discarded events of the generation in PostgreSQL. */
export const createSkippedEvents = (
  projection: HasState,
  decisions: ParkingDecisions,
  { events }: Pick<ParkingState, 'events'> = { events: [] },
): SkippedEvents => {
  const discarded = new Set<bigint>();
  const parked = new Map<bigint, string>();
  /** Parked events of state streams only, so that a million parked facts need not be searched. */
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
      // A fact is not read again by a reader past it.
      if (isStateStream(projection, event.stream)) keep(event);
    },
    release(position) {
      ofStreams.get(parked.get(position) ?? '')?.delete(position);
      parked.delete(position);
    },
  };
};
