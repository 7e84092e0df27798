import {
  lastSequenceAt,
  ParkedEventsDiscarded,
  ParkedEventsRetried,
  parkingStream,
  sequenceOf,
  streamPrefixes,
} from '@popsvc/contracts/events';
import { nameWithoutShard } from '@popsvc/domain/partitioning';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Projection } from '../projection.ts';
import { type LogItem, readItem, splitEvent } from '../log-items.ts';

export type HasState = Pick<Projection, 'stateStreams'>;

/** Returns true if the projection builds in-memory state from the stream. The order of the events in such a stream matters. */
export const isStateStream = ({ stateStreams }: HasState, stream: string): boolean =>
  stateStreams.some((prefix) => stream.startsWith(prefix));

/**
 * A parked item that an operator's decision names. In a state stream, the decision also covers the later events of the
 * stream.
 */
export interface NamedItem {
  readonly sequence: bigint;
  readonly stream: string;
}

type Placed = Pick<LogItem, 'sequence' | 'stream'>;

interface Retry extends NamedItem {
  readonly at: bigint;
}

/**
 * The operators' decisions about parked items, read from the log. A retried item is applied at the sequence of the last
 * decision that names it. This holds for every generation, even one that is built much later.
 */
export interface ParkingDecisions {
  /**
   * Adds a decision. `isDone` is true if the reader has already passed the decision. In that case, the reader
   * does not read the named facts again.
   */
  add(decision: LogItem, isDone?: boolean): void;
  /** Forgets the facts named in a retry decision that has been applied, because this run does not read them again. */
  removeRetriedFacts(decision: LogItem): void;
  /** Returns the sequence of the decision that applies the item; undefined when the item is applied at its own sequence. */
  appliedAt(item: Placed): bigint | undefined;
  isDiscarded(item: Placed): boolean;
}

const namedBy = ({ events }: Pick<ParkedEventsRetried, 'events'>): NamedItem[] =>
  events.map(({ position, index, stream }) => ({ sequence: sequenceOf(BigInt(position), index), stream }));

export const isDecision = ({ stream }: Pick<LogItem, 'stream'>): boolean => stream.startsWith(streamPrefixes.parking);

/** Returns the items that a retry decision names; none for other decisions. Throws when the decision cannot be read. */
export const readNamesOfRetriedItems = (decision: LogItem): readonly NamedItem[] =>
  decision.type === ParkedEventsRetried.type ? namedBy(readItem(decision) as ParkedEventsRetried) : [];

export const readDiscardedItems = (
  decision: LogItem,
): readonly { readonly sequence: bigint; readonly reason: string }[] => {
  if (decision.type !== ParkedEventsDiscarded.type) return [];
  const discarded = readItem(decision) as ParkedEventsDiscarded;
  return namedBy(discarded).map(({ sequence }) => ({ sequence, reason: discarded.reason }));
};

/** Throws when the decision cannot be read, or when its type is unknown because a newer software version wrote it. */
export const requireKnownDecision = (decision: LogItem): void => {
  if (decision.type !== ParkedEventsRetried.type && decision.type !== ParkedEventsDiscarded.type)
    throw new Error(`this release does not know the decision type ${decision.type}`);
  readItem(decision);
};

const emptyDecisions = (projection: HasState): ParkingDecisions => {
  const noted = new Set<bigint>();
  const discarded = new Set<bigint>();
  const retries = new Map<bigint, bigint>();
  const ofStreams = new Map<string, Retry[]>();
  return {
    add(decision, isDone = false) {
      if (noted.has(decision.sequence)) return;
      noted.add(decision.sequence);
      for (const { sequence } of readDiscardedItems(decision)) discarded.add(sequence);
      for (const { sequence, stream } of readNamesOfRetriedItems(decision)) {
        const at = decision.sequence;
        if (isStateStream(projection, stream))
          ofStreams.set(stream, [...(ofStreams.get(stream) ?? []), { sequence, stream, at }]);
        else if (!isDone) retries.set(sequence, at);
      }
    },
    removeRetriedFacts(decision) {
      for (const { sequence } of readNamesOfRetriedItems(decision))
        if (retries.get(sequence) === decision.sequence) retries.delete(sequence);
    },
    appliedAt({ sequence, stream }) {
      const known = ofStreams.get(stream);
      if (!known) return retries.get(sequence);
      return known.findLast((retry) => retry.sequence <= sequence && sequence < retry.at)?.at;
    },
    isDiscarded: ({ sequence }) => discarded.has(sequence),
  };
};

/** Reads all decisions about a projection's parked events. `readUpTo`: the caller has read the log up to this position. */
export const readDecisions = async (
  store: Pick<EventStore, 'readStream'>,
  projection: HasState & { readonly name: string },
  readUpTo = 0n,
): Promise<ParkingDecisions> => {
  const decisions = emptyDecisions(projection);
  for await (const event of store.readStream(parkingStream(nameWithoutShard(projection.name))))
    try {
      const [decision] = splitEvent(event);
      decisions.add(decision, decision.sequence <= lastSequenceAt(readUpTo));
    } catch {
      // A newer software version wrote this decision. It can be ignored here, because the projection stops when it reaches the
      // decision.
    }
  return decisions;
};
