import { ParkedEventsDiscarded, ParkedEventsRetried, parkingStream, streamPrefixes } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Projection } from '../projection.ts';
import { readEvent } from '../read-event.ts';

export type HasState = Pick<Projection, 'stateStreams'>;

/** Returns true if the projection builds in-memory state from the stream. The order of the events in such a stream matters. */
export const isStateStream = ({ stateStreams }: HasState, stream: string): boolean =>
  stateStreams.some((prefix) => stream.startsWith(prefix));

/**
 * A parked event that an operator's decision names. In a state stream, the decision also covers the later events of the
 * stream.
 */
export interface NamedEvent {
  readonly position: bigint;
  readonly stream: string;
}

type Placed = Pick<LogEvent, 'position' | 'stream'>;

interface Retry extends NamedEvent {
  readonly at: bigint;
}

/**
 * The operators' decisions about parked events, read from the log. A retried event is applied at the log position of the last
 * decision that names it. This holds for every generation, even one that is built much later.
 */
export interface ParkingDecisions {
  /**
   * Adds a decision. `isDone` is true if the reader has already passed the decision. In that case, the reader
   * does not read the named facts again.
   */
  add(event: LogEvent, isDone?: boolean): void;
  /** Forgets the facts named in a retry decision that has been applied, because this run does not read them again. */
  removeRetriedFacts(event: LogEvent): void;
  /** Returns the position of the decision that applies the event; undefined when the event is applied at its own position. */
  appliedAt(event: Placed): bigint | undefined;
  isDiscarded(event: Placed): boolean;
}

const namedBy = ({ events }: Pick<ParkedEventsRetried, 'events'>): NamedEvent[] =>
  events.map(({ position, stream }) => ({ position: BigInt(position), stream }));

export const isDecision = ({ stream }: Pick<LogEvent, 'stream'>): boolean => stream.startsWith(streamPrefixes.parking);

/** Returns the events that a retry decision names; none for other decisions. Throws when the decision cannot be read. */
export const readRetriedEventNames = (event: LogEvent): readonly NamedEvent[] =>
  event.type === ParkedEventsRetried.type ? namedBy(readEvent(event) as ParkedEventsRetried) : [];

export const readDiscardedEvents = (
  event: LogEvent,
): readonly { readonly position: bigint; readonly reason: string }[] => {
  if (event.type !== ParkedEventsDiscarded.type) return [];
  const discarded = readEvent(event) as ParkedEventsDiscarded;
  return namedBy(discarded).map(({ position }) => ({ position, reason: discarded.reason }));
};

/** Throws when the decision cannot be read, or when its type is unknown because a newer software version wrote it. */
export const requireKnownDecision = (event: LogEvent): void => {
  if (event.type !== ParkedEventsRetried.type && event.type !== ParkedEventsDiscarded.type)
    throw new Error(`this release does not know the decision type ${event.type}`);
  readEvent(event);
};

const emptyDecisions = (projection: HasState): ParkingDecisions => {
  const noted = new Set<bigint>();
  const discarded = new Set<bigint>();
  const retries = new Map<bigint, bigint>();
  const ofStreams = new Map<string, Retry[]>();
  return {
    add(event, isDone = false) {
      if (noted.has(event.position)) return;
      noted.add(event.position);
      for (const { position } of readDiscardedEvents(event)) discarded.add(position);
      for (const { position, stream } of readRetriedEventNames(event)) {
        const at = event.position;
        if (isStateStream(projection, stream))
          ofStreams.set(stream, [...(ofStreams.get(stream) ?? []), { position, stream, at }]);
        else if (!isDone) retries.set(position, at);
      }
    },
    removeRetriedFacts(event) {
      for (const { position } of readRetriedEventNames(event))
        if (retries.get(position) === event.position) retries.delete(position);
    },
    appliedAt({ position, stream }) {
      const known = ofStreams.get(stream);
      if (!known) return retries.get(position);
      return known.findLast((retry) => retry.position <= position && position < retry.at)?.at;
    },
    isDiscarded: ({ position }) => discarded.has(position),
  };
};

/** Reads all decisions about a projection's parked events. `readUpTo`: the caller has read the log up to this position. */
export const readDecisions = async (
  store: Pick<EventStore, 'readStream'>,
  projection: HasState & { readonly name: string },
  readUpTo = 0n,
): Promise<ParkingDecisions> => {
  const decisions = emptyDecisions(projection);
  for await (const event of store.readStream(parkingStream(projection.name)))
    try {
      decisions.add(event, event.position <= readUpTo);
    } catch {
      // A newer software version wrote this decision. It can be ignored here, because the projection stops when it reaches the
      // decision.
    }
  return decisions;
};
