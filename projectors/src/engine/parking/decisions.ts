import pLimit from 'p-limit';
import {
  lastSequenceAt,
  ParkedEventsDiscarded,
  ParkedEventsRetried,
  parkingStream,
  placeOf,
  sequenceOf,
  streamPrefixes,
} from '@popsvc/contracts/events';
import { mayOwnStream, nameWithoutShard, ownsEvent, type Partition } from '@popsvc/domain/partitioning';
import type { EventStore } from '@popsvc/platform/event-store';
import { type LogItem, readItem, splitEvent } from '../log-items.ts';

interface NamedItem {
  readonly sequence: bigint;
  readonly stream: string;
}

/**
 * Operators' decisions about parked items. In every generation, a retried item is applied at the sequence of the last decision that retries
 * it.
 */
export interface ParkingDecisions {
  /** `isDone`: the run resumes after the decision, so it does not apply the items again. */
  add(decision: LogItem, isDone?: boolean): void;
  removeRetried(decision: LogItem): void;
  isRetriedBy(decision: LogItem, sequence: bigint): boolean;
  /** Returns whether the item is not applied at its own sequence. `readUpTo`: sequence up to which the run has read the log. */
  isSkipped(sequence: bigint, readUpTo: bigint): boolean;
}

const namedBy = ({ events }: Pick<ParkedEventsRetried, 'events'>): NamedItem[] =>
  events.map(({ position, index, stream }) => ({ sequence: sequenceOf(BigInt(position), index), stream }));

export const isDecision = ({ stream }: Pick<LogItem, 'stream'>): boolean => stream.startsWith(streamPrefixes.parking);

const readNamesOfRetriedItems = (decision: LogItem): readonly NamedItem[] =>
  decision.type === ParkedEventsRetried.type ? namedBy(readItem(decision) as ParkedEventsRetried) : [];

export const readDiscardedItems = (
  decision: LogItem,
): readonly { readonly sequence: bigint; readonly reason: string }[] => {
  if (decision.type !== ParkedEventsDiscarded.type) return [];
  const discarded = readItem(decision) as ParkedEventsDiscarded;
  return namedBy(discarded).map(({ sequence }) => ({ sequence, reason: discarded.reason }));
};

export const requireKnownDecision = (decision: LogItem): void => {
  if (decision.type !== ParkedEventsRetried.type && decision.type !== ParkedEventsDiscarded.type)
    throw new Error(`this release does not know the decision type ${decision.type}`);
  readItem(decision);
};

const createDecisions = (parked: readonly bigint[]): ParkingDecisions => {
  const added = new Set<bigint>();
  const skipped = new Set(parked);
  const discarded = new Set<bigint>();
  const retries = new Map<bigint, bigint>();
  return {
    add(decision, isDone = false) {
      if (added.has(decision.sequence)) return;
      added.add(decision.sequence);
      for (const { sequence } of readDiscardedItems(decision)) discarded.add(sequence);
      const retried = readNamesOfRetriedItems(decision);
      if (!isDone) for (const { sequence } of retried) retries.set(sequence, decision.sequence);
    },
    removeRetried(decision) {
      for (const { sequence } of readNamesOfRetriedItems(decision))
        if (retries.get(sequence) === decision.sequence) retries.delete(sequence);
    },
    isRetriedBy: (decision, sequence) => retries.get(sequence) === decision.sequence && !discarded.has(sequence),
    isSkipped: (sequence, readUpTo) =>
      skipped.has(sequence) || discarded.has(sequence) || (retries.get(sequence) ?? 0n) > readUpTo,
  };
};

/**
 * `readUpTo`: position up to which the caller has read the log. `parked`: sequences of later items that the partition has parked or
 * discarded.
 */
export const readDecisions = async (
  store: Pick<EventStore, 'readStream'>,
  projection: string,
  { readUpTo, parked }: { readonly readUpTo: bigint; readonly parked: readonly bigint[] },
): Promise<ParkingDecisions> => {
  const decisions = createDecisions(parked);
  for await (const event of store.readStream(parkingStream(nameWithoutShard(projection))))
    try {
      const [decision] = splitEvent(event);
      decisions.add(decision, decision.sequence <= lastSequenceAt(readUpTo));
    } catch {
      // The run stops later, at the unreadable decision, unless another decision discards it.
    }
  return decisions;
};

const maxConcurrentReads = 32;

export const readRetriedItems = async (
  store: Pick<EventStore, 'readEventAt'>,
  partition: Partition,
  decisions: ParkingDecisions,
  decision: LogItem,
): Promise<readonly LogItem[]> => {
  const streams = new Map<bigint, string>();
  for (const { sequence, stream } of readNamesOfRetriedItems(decision))
    if (mayOwnStream(partition, stream) && decisions.isRetriedBy(decision, sequence)) streams.set(sequence, stream);
  const positions = new Set([...streams.keys()].map((sequence) => placeOf(sequence).position));
  const limitReads = pLimit(maxConcurrentReads);
  const events = await Promise.all([...positions].map((position) => limitReads(() => store.readEventAt(position))));
  return events
    .flatMap((event) => (event && ownsEvent(partition, event) ? splitEvent(event) : []))
    .filter(({ sequence, stream }) => streams.get(sequence) === stream)
    .sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
};
