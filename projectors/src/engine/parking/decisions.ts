import { ParkedEventsDiscarded, ParkedEventsRetried, parkingStream, streamPrefixes } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Projection } from '../projection.ts';
import { readEvent } from '../read-event.ts';

export type HasState = Pick<Projection, 'recalls'>;

/** Whether the order within a stream matters: a projection recalls what it keeps in memory, and that is made of these. */
export const isStateStream = ({ recalls }: HasState, stream: string): boolean =>
  recalls.some((prefix) => stream.startsWith(prefix));

/** What an event names: itself, and of a stream whose order matters all that follows it there. */
export interface NamedEvent {
  readonly position: bigint;
  readonly stream: string;
}

type Placed = Pick<LogEvent, 'position' | 'stream'>;

interface Retry extends NamedEvent {
  readonly at: bigint;
}

/**
 * What operators decided about events that a projection had set aside, as the log tells it. So every generation, today's and one
 * that is built in a year, takes such an event at the same place: where it was last asked for, and not where it stands.
 */
export interface ParkingDecisions {
  /** Takes one of them. `isDone`: who asks stands behind it, and meets the facts it names no more. */
  add(event: LogEvent, isDone?: boolean): void;
  /** Forgets which facts it names: they are taken, and not met again. */
  removeRetriedFacts(event: LogEvent): void;
  /** Where an event is taken instead of where it stands; undefined: there. */
  appliedAt(event: Placed): bigint | undefined;
  isDiscarded(event: Placed): boolean;
}

const namedBy = ({ events }: Pick<ParkedEventsRetried, 'events'>): NamedEvent[] =>
  events.map(({ position, stream }) => ({ position: BigInt(position), stream }));

export const isDecision = ({ stream }: Pick<LogEvent, 'stream'>): boolean => stream.startsWith(streamPrefixes.parking);

/** What an event asks to be tried again. Throws on one that cannot be read. */
export const readRetriedEventNames = (event: LogEvent): readonly NamedEvent[] =>
  event.type === ParkedEventsRetried.type ? namedBy(readEvent(event) as ParkedEventsRetried) : [];

export const readDiscardedEvents = (
  event: LogEvent,
): readonly { readonly position: bigint; readonly reason: string }[] => {
  if (event.type !== ParkedEventsDiscarded.type) return [];
  const told = readEvent(event) as ParkedEventsDiscarded;
  return namedBy(told).map(({ position }) => ({ position, reason: told.reason }));
};

/** Throws on what this build cannot act on: a newer one wrote it. */
export const requireKnownDecision = (event: LogEvent): void => {
  if (event.type !== ParkedEventsRetried.type && event.type !== ParkedEventsDiscarded.type)
    throw new Error('this build knows no such decision');
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

/** All that were made so far, for who has read the log up to a position. */
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
      // One of a newer build: whoever meets it goes no further.
    }
  return decisions;
};
