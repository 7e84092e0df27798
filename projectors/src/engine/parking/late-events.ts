import type { PoisonPolicy } from '../dependencies.ts';
import pLimit from 'p-limit';
import { formatItemId, placeOf, sequenceOf } from '@popsvc/contracts/events';
import { mayOwnStream, ownsEvent, type Partition } from '@popsvc/domain/partitioning';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { SettledParkedEvents } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { type LogItem, splitEvent } from '../log-items.ts';
import type { Fold, Projection } from '../projection.ts';
import { type HasState, isStateStream, type NamedItem, readNamesOfRetriedItems } from './decisions.ts';
import { foldItem } from './fold-item.ts';
import { requireKnownTimeZone, toParkedEvent, UnfoldableEvent } from './parking-errors.ts';
import { restoreState } from './restore-state.ts';
import type { SkippedEvents } from './skipped-events.ts';

type ReadableLog = Pick<EventStore, 'readEventAt' | 'readStream'>;

/** Yields an item and the later items of its stream that precede the sequence `before`. */
async function* readStreamFrom(store: ReadableLog, first: LogItem, before: bigint): AsyncGenerator<LogItem> {
  yield first;
  for await (const event of store.readStream(first.stream, { from: first.revision + 1n })) {
    if (sequenceOf(event.position) >= before) return;
    yield* splitEvent(event);
  }
}

const maxConcurrentReads = 32;
/**
 * Determines how the named events of a stream are read. Reading one event by its log position costs about as much as reading 20
 * consecutive events of a stream. The stream is therefore read from the first to the last named event if that takes at most this
 * many events per named event. Otherwise, each named event is read by its log position.
 */
const maxRevisionsPerEvent = 20n;

/** Reads the stream's events at these log positions. `positions` must be sorted. */
const readEventsInStream = async (
  store: ReadableLog,
  stream: string,
  positions: readonly bigint[],
): Promise<readonly LogEvent[]> => {
  const limitReads = pLimit(maxConcurrentReads);
  const isIn = (event: LogEvent | undefined): event is LogEvent => event?.stream === stream;
  const [first, last] = (
    await Promise.all([positions.at(0)!, positions.at(-1)!].map((at) => store.readEventAt(at)))
  ).filter(isIn);
  if (!first || !last || last.revision - first.revision > maxRevisionsPerEvent * BigInt(positions.length))
    return (await Promise.all(positions.map((at) => limitReads(() => store.readEventAt(at))))).filter(isIn);
  const wanted = new Set(positions);
  const found: LogEvent[] = [];
  for await (const event of store.readStream(stream, { from: first.revision })) {
    if (wanted.has(event.position)) found.push(event);
    if (event.position >= last.position) break;
  }
  return found;
};

/** Reads the items that a decision names, one stream after another. */
const readNamed = async (store: ReadableLog, named: readonly NamedItem[]): Promise<readonly LogItem[]> => {
  const wanted = new Set(named.map(({ sequence }) => sequence));
  const positions = new Map<string, Set<bigint>>();
  for (const { stream, sequence } of named)
    positions.set(stream, (positions.get(stream) ?? new Set()).add(placeOf(sequence).position));
  const found: LogItem[] = [];
  for (const [stream, ofStream] of positions)
    for (const event of await readEventsInStream(
      store,
      stream,
      [...ofStream].sort((a, b) => (a < b ? -1 : 1)),
    ))
      found.push(...splitEvent(event).filter(({ sequence }) => wanted.has(sequence)));
  return found;
};

/**
 * Returns the items that a decision retries, in log order. Omits items that a later decision retries, items that were
 * discarded, items of other partitions, and items that the log no longer contains.
 */
export const readRetriedItems = async (
  store: ReadableLog,
  projection: HasState,
  partition: Partition,
  { decisions }: Pick<SkippedEvents, 'decisions'>,
  decision: LogItem,
): Promise<readonly LogItem[]> => {
  const found = new Map<bigint, LogItem>();
  const take = (item: LogItem) => {
    if (decisions.appliedAt(item) === decision.sequence && !decisions.isDiscarded(item)) found.set(item.sequence, item);
  };
  const named = readNamesOfRetriedItems(decision).filter(({ stream }) => mayOwnStream(partition, stream));
  for (const first of await readNamed(store, named)) {
    if (found.has(first.sequence) || !ownsEvent(partition, first)) continue;
    if (isStateStream(projection, first.stream))
      for await (const item of readStreamFrom(store, first, decision.sequence)) take(item);
    else take(first);
  }
  return [...found.values()].sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
};

export interface LateEventDependencies {
  readonly store: Pick<EventStore, 'readEventAt' | 'readStream' | 'subscribe'>;
  readonly projection: Projection;
  readonly partition: Partition;
  readonly fold: Fold;
  readonly skipped: SkippedEvents;
  readonly poisonPolicy: PoisonPolicy;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export const describeParkedBefore = (sequence: bigint): string =>
  `position ${formatItemId(sequence)} of its stream is parked`;

/** A retried item that failed again and stays parked. */
type FailedRetry = SettledParkedEvents['failed'][number];

/** Creates the functions that apply retried items. An item is applied at the sequence of the decision that names it. */
export const createLateEventAppliers = ({
  store,
  projection,
  fold,
  skipped,
  poisonPolicy,
  log,
  signal,
}: LateEventDependencies) => {
  const { name } = projection;
  const failedAgain = (item: LogItem, error: unknown): FailedRetry => {
    if (poisonPolicy === 'stop') throw new UnfoldableEvent(name, item, error);
    skipped.park(item);
    return toParkedEvent(item, error);
  };

  /**
   * Restores the fold's state from the log again, now including the late items. Any rows that change as a result are written
   * with the decision's batch.
   */
  const applyStateItems = async (decision: LogItem, late: readonly LogItem[]): Promise<readonly FailedRetry[]> => {
    if (late.length === 0) return [];
    if (!fold.reloadState) throw new Error(`projection ${name} has state streams but no reloadState`);
    const failed: FailedRetry[] = [];
    const reload = fold.reloadState();
    const into = {
      restore(item: LogItem) {
        const behind = skipped.findParkedBefore(item);
        if (behind === undefined) {
          requireKnownTimeZone(item);
          reload.restore(item);
        } else {
          skipped.park(item);
          failed.push({ ...toParkedEvent(item, describeParkedBefore(behind)), behind });
        }
      },
    };
    const onRefused = (item: LogItem, error: unknown) => {
      if (late.some(({ sequence }) => sequence === item.sequence)) failed.push(failedAgain(item, error));
      else {
        const { stream, type, sequence } = item;
        const fields = { err: error, projection: name, stream, type, position: formatItemId(sequence) };
        log.warn(fields, 'failed to apply event while restoring the state for late events; event skipped');
      }
    };
    for (const { sequence } of late) skipped.release(sequence);
    const upTo = placeOf(decision.sequence).position;
    await restoreState(store, projection, into, upTo, { signal, log, skipped, onRefused });
    signal.throwIfAborted();
    const taken = late.filter(({ sequence }) => !failed.some((other) => other.sequence === sequence));
    reload.adopt({ sequence: decision.sequence, atMs: decision.recordedAtMs }, taken);
    return failed;
  };

  const applyFacts = (decision: LogItem, late: readonly LogItem[]): readonly FailedRetry[] =>
    late.flatMap((item) => {
      skipped.release(item.sequence);
      try {
        foldItem(projection, fold, item, { sequence: decision.sequence, atMs: decision.recordedAtMs });
        return [];
      } catch (error) {
        return [failedAgain(item, error)];
      }
    });

  return { applyStateItems, applyFacts };
};
