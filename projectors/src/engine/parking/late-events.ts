import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import pLimit from 'p-limit';
import type { SkippedEvents } from './aside.ts';
import { type NamedEvent, readRetriedEventNames } from './decisions.ts';
import { isStateStream, type HasState } from './is-of-state.ts';

type Log = Pick<EventStore, 'readEventAt' | 'readStream'>;

/** An event, and what follows it in its stream up to a position. */
async function* onFrom(store: Log, first: LogEvent, before: bigint): AsyncGenerator<LogEvent> {
  yield first;
  for await (const event of store.readStream(first.stream, { from: first.revision + 1n })) {
    if (event.position >= before) return;
    yield event;
  }
}

/** So many are read at a time that stand far from each other. */
const atATime = 32;
/** Reading a stream costs as much as asking for one of so many of its events. */
const sparse = 20n;

/** Those of one stream that stand in the log as they are named. */
const namedOf = async (store: Log, stream: string, positions: readonly bigint[]): Promise<readonly LogEvent[]> => {
  const one = pLimit(atATime);
  const isIn = (event: LogEvent | undefined): event is LogEvent => event?.stream === stream;
  const ends = (await Promise.all([positions.at(0)!, positions.at(-1)!].map((at) => store.readEventAt(at)))).filter(
    isIn,
  );
  const [first, last] = ends;
  if (!first || !last || last.revision - first.revision > sparse * BigInt(positions.length))
    return (await Promise.all(positions.map((at) => one(() => store.readEventAt(at))))).filter(isIn);
  const wanted = new Set(positions);
  const found: LogEvent[] = [];
  for await (const event of store.readStream(stream, { from: first.revision })) {
    if (wanted.has(event.position)) found.push(event);
    if (event.position >= last.position) break;
  }
  return found;
};

/** One by one a decision about five hundred takes a second: where they stand close together the stream is read. */
const namedIn = async (store: Log, named: readonly NamedEvent[]): Promise<readonly LogEvent[]> => {
  const positions = new Map<string, bigint[]>();
  for (const { stream, position } of named) positions.set(stream, [...(positions.get(stream) ?? []), position]);
  const found: LogEvent[] = [];
  for (const [stream, of] of positions)
    found.push(
      ...(await namedOf(
        store,
        stream,
        of.sort((a, b) => (a < b ? -1 : 1)),
      )),
    );
  return found;
};

/**
 * The events that are taken where an operator asked for them, in the order of the log: those that were asked for again later
 * are taken there, and what the log has no more is taken nowhere. Of those in streams that are meant.
 */
export const readRetriedEvents = async (
  store: Log,
  projection: HasState,
  { decisions }: Pick<SkippedEvents, 'decisions'>,
  asked: LogEvent,
  isMeant: (stream: string) => boolean,
): Promise<readonly LogEvent[]> => {
  const found = new Map<bigint, LogEvent>();
  const take = (event: LogEvent) => {
    if (decisions.appliedAt(event) === asked.position && !decisions.isDiscarded(event))
      found.set(event.position, event);
  };
  const named = readRetriedEventNames(asked).filter(({ stream }) => isMeant(stream));
  for (const first of await namedIn(store, named)) {
    if (found.has(first.position)) continue;
    if (isStateStream(projection, first.stream))
      for await (const event of onFrom(store, first, asked.position)) take(event);
    else take(first);
  }
  return [...found.values()].sort((one, other) => (one.position < other.position ? -1 : 1));
};
