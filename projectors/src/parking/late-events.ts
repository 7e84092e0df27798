import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Aside } from './aside.ts';
import { retriedBy } from './decisions.ts';
import { isOfState, type Stateful } from './is-of-state.ts';

type Log = Pick<EventStore, 'at' | 'readStream'>;

/** An event, and what follows it in its stream up to a position. */
async function* onFrom(store: Log, first: LogEvent, before: bigint): AsyncGenerator<LogEvent> {
  yield first;
  for await (const event of store.readStream(first.stream, { from: first.revision + 1n })) {
    if (event.position >= before) return;
    yield event;
  }
}

/**
 * The events that are taken where an operator asked for them, in the order of the log: those that were asked for again later
 * are taken there, and what the log has no more is taken nowhere.
 */
export const lateEvents = async (
  store: Log,
  projection: Stateful,
  { decisions }: Pick<Aside, 'decisions'>,
  asked: LogEvent,
): Promise<readonly LogEvent[]> => {
  const found = new Map<bigint, LogEvent>();
  for (const { position, stream } of retriedBy(asked)) {
    if (found.has(position)) continue;
    const first = await store.at(position);
    if (first?.stream !== stream) continue;
    const named = isOfState(projection, stream) ? onFrom(store, first, asked.position) : [first];
    for await (const event of named)
      if (decisions.takenAt(event) === asked.position && !decisions.isDiscarded(event))
        found.set(event.position, event);
  }
  return [...found.values()].sort((one, other) => (one.position < other.position ? -1 : 1));
};
