import type { PoisonPolicy } from '../dependencies.ts';
import pLimit from 'p-limit';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { SettledParkedEvents } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { Fold, Projection } from '../projection.ts';
import { type HasState, isStateStream, type NamedEvent, readRetriedEventNames } from './decisions.ts';
import { requireKnownTimeZone, toParkedEvent, UnfoldableEvent } from './parking-errors.ts';
import { restoreState } from './restore-state.ts';
import type { SkippedEvents } from './skipped-events.ts';

type ReadableLog = Pick<EventStore, 'readEventAt' | 'readStream'>;

/** Yields an event and the later events of its stream that precede the position `before`. */
async function* readStreamFrom(store: ReadableLog, first: LogEvent, before: bigint): AsyncGenerator<LogEvent> {
  yield first;
  for await (const event of store.readStream(first.stream, { from: first.revision + 1n })) {
    if (event.position >= before) return;
    yield event;
  }
}

/** Maximum number of concurrent single-event reads. */
const maxConcurrentReads = 32;
/**
 * Determines how the named events of a stream are read. Reading one event by its log position costs about as much as reading 20
 * consecutive events of a stream. The stream is therefore read from the first to the last named event if that takes at most this
 * many events per named event. Otherwise, each named event is read by its log position.
 */
const maxRevisionsPerEvent = 20n;

/** Reads the stream's events at these log positions. `positions` must be sorted. */
const readNamedInStream = async (
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

/** Reads the events that a decision names, one stream after another. */
const readNamed = async (store: ReadableLog, named: readonly NamedEvent[]): Promise<readonly LogEvent[]> => {
  const positions = new Map<string, bigint[]>();
  for (const { stream, position } of named) positions.set(stream, [...(positions.get(stream) ?? []), position]);
  const found: LogEvent[] = [];
  for (const [stream, named] of positions)
    found.push(
      ...(await readNamedInStream(
        store,
        stream,
        named.sort((a, b) => (a < b ? -1 : 1)),
      )),
    );
  return found;
};

/**
 * Returns the events that a decision retries, in log order. Omits events that a later decision retries, events that were
 * discarded, and events that the log no longer contains.
 */
export const readRetriedEvents = async (
  store: ReadableLog,
  projection: HasState,
  { decisions }: Pick<SkippedEvents, 'decisions'>,
  decision: LogEvent,
): Promise<readonly LogEvent[]> => {
  const found = new Map<bigint, LogEvent>();
  const take = (event: LogEvent) => {
    if (decisions.appliedAt(event) === decision.position && !decisions.isDiscarded(event))
      found.set(event.position, event);
  };
  for (const first of await readNamed(store, readRetriedEventNames(decision))) {
    if (found.has(first.position)) continue;
    if (isStateStream(projection, first.stream))
      for await (const event of readStreamFrom(store, first, decision.position)) take(event);
    else take(first);
  }
  return [...found.values()].sort((one, other) => (one.position < other.position ? -1 : 1));
};

export interface LateEventDependencies {
  readonly store: Pick<EventStore, 'readEventAt' | 'readStream' | 'subscribe'>;
  readonly projection: Projection;
  readonly fold: Fold;
  readonly skipped: SkippedEvents;
  /** Time zones that ClickHouse knows. */
  readonly timeZones: ReadonlySet<string>;
  readonly poisonPolicy: PoisonPolicy;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export const describeParkedBefore = (position: bigint): string => `position ${position} of its stream is parked`;

/** A retried event that failed again and stays parked. */
type FailedRetry = SettledParkedEvents['failed'][number];

/** Creates the functions that apply retried events. An event is applied at the position of the decision that names it. */
export const createLateEventAppliers = ({
  store,
  projection,
  fold,
  skipped,
  timeZones,
  poisonPolicy,
  log,
  signal,
}: LateEventDependencies) => {
  const { name } = projection;
  const failedAgain = (event: LogEvent, error: unknown): FailedRetry => {
    if (poisonPolicy === 'stop') throw new UnfoldableEvent(name, event, error);
    skipped.park(event);
    return toParkedEvent(event, error);
  };

  /**
   * Restores the fold's state from the log again, now including the late events. Any rows that change as a result are written
   * with the decision's batch.
   */
  const applyStateEvents = async (decision: LogEvent, late: readonly LogEvent[]): Promise<readonly FailedRetry[]> => {
    if (late.length === 0) return [];
    if (!fold.reloadState) throw new Error(`projection ${name} has state streams but no reloadState`);
    const failed: FailedRetry[] = [];
    const reload = fold.reloadState();
    const into = {
      restore(event: LogEvent) {
        const behind = skipped.findParkedBefore(event);
        if (behind === undefined) {
          requireKnownTimeZone(event, timeZones);
          reload.restore(event, skipped.decisions.appliedAt(event) ?? event.position);
        } else {
          skipped.park(event);
          failed.push({ ...toParkedEvent(event, describeParkedBefore(behind)), behind });
        }
      },
    };
    const onRefused = (event: LogEvent, error: unknown) => {
      if (late.some(({ position }) => position === event.position)) failed.push(failedAgain(event, error));
      else {
        const { stream, type, position } = event;
        const fields = { err: error, projection: name, stream, type, position: String(position) };
        log.warn(fields, 'failed to apply event while restoring the state for late events; event skipped');
      }
    };
    for (const { position } of late) skipped.release(position);
    await restoreState(store, projection, into, decision.position, { signal, log, skipped, onRefused });
    signal.throwIfAborted();
    const taken = late.filter(({ position }) => !failed.some((other) => other.position === position));
    reload.adopt({ position: decision.position, atMs: decision.recordedAtMs }, taken);
    return failed;
  };

  const applyFacts = (decision: LogEvent, late: readonly LogEvent[]): readonly FailedRetry[] =>
    late.flatMap((event) => {
      skipped.release(event.position);
      try {
        fold.apply(event, { position: decision.position, atMs: decision.recordedAtMs });
        return [];
      } catch (error) {
        return [failedAgain(event, error)];
      }
    });

  return { applyStateEvents, applyFacts };
};
