import type { LogEvent } from '@popsvc/platform/event-store';
import type { ParkingState } from '@popsvc/platform/postgres';
import { type HasState, isStateStream, type ParkingDecisions } from './decisions.ts';

type Placed = Pick<LogEvent, 'position' | 'stream'>;

/** Which events a generation passes over where they stand, as far as it is known. */
export interface SkippedEvents {
  readonly decisions: ParkingDecisions;
  /** Whether an event is not (or not yet) folded by who has read the log up to a position. */
  isSkipped(event: Placed, readUpTo: bigint): boolean;
  /** The parked event that one stands behind; undefined: none. */
  findParkedBefore(event: Placed): bigint | undefined;
  park(event: Placed): void;
  release(position: bigint): void;
}

/** `events`: what PostgreSQL has of a generation; none where nothing may be parked. */
export const createSkippedEvents = (
  projection: HasState,
  decisions: ParkingDecisions,
  { events }: Pick<ParkingState, 'events'> = { events: [] },
): SkippedEvents => {
  const discarded = new Set<bigint>();
  const parked = new Map<bigint, string>();
  /** Of streams whose order matters, those that are parked: a million facts that are parked are not looked through. */
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
      // A fact is not met again by who goes on behind it.
      if (isStateStream(projection, event.stream)) keep(event);
    },
    release(position) {
      ofStreams.get(parked.get(position) ?? '')?.delete(position);
      parked.delete(position);
    },
  };
};
