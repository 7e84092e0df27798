import type { LogEvent } from '@popsvc/platform/event-store';
import type { Parking } from '@popsvc/platform/records';
import type { Decisions } from './decisions.ts';
import { isOfState, type Stateful } from './is-of-state.ts';

type Placed = Pick<LogEvent, 'position' | 'stream'>;

/** Which events a generation passes over where they stand, as far as it is known. */
export interface Aside {
  readonly decisions: Decisions;
  /** Whether an event is not (or not yet) folded by who has read the log up to a position. */
  keeps(event: Placed, readUpTo: bigint): boolean;
  /** The parked event that one stands behind; undefined: none. */
  behind(event: Placed): bigint | undefined;
  park(event: Placed): void;
  release(position: bigint): void;
}

/** `events`: what PostgreSQL has of a generation; none where nothing may be parked. */
export const createAside = (
  projection: Stateful,
  decisions: Decisions,
  { events }: Pick<Parking, 'events'> = { events: [] },
): Aside => {
  const discarded = new Set<bigint>();
  const parked = new Map<bigint, string>();
  for (const { position, stream, state } of events)
    if (state === 'parked') parked.set(position, stream);
    else discarded.add(position);
  return {
    decisions,
    keeps(event, readUpTo) {
      const { position } = event;
      if (discarded.has(position) || decisions.isDiscarded(event) || parked.has(position)) return true;
      const at = decisions.takenAt(event);
      return at !== undefined && at > readUpTo;
    },
    behind({ position, stream }) {
      if (parked.size === 0 || !isOfState(projection, stream)) return undefined;
      for (const [at, name] of parked) if (name === stream && at < position) return at;
      return undefined;
    },
    park: ({ position, stream }) => void parked.set(position, stream),
    release: (position) => void parked.delete(position),
  };
};
