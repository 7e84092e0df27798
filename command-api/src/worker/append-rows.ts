import { bulkRowsStream } from '@popsvc/contracts/events';
import {
  type EventStore,
  EventStoreUnavailable,
  type NewEvent,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import type { RowChunk } from './chunk-rows.ts';
import type { Insist } from './insist.ts';

/** Resolves when the chunk, and all before it, are durable. */
export type AppendRows = (chunk: RowChunk) => Promise<void>;

type Store = Pick<EventStore, 'append' | 'readStream'>;

const after = (first: number) => (first === 0 ? 'no_stream' : BigInt(first - 1));

/** How many of these events stand already, from the first on. Throws when something else stands in their place. */
const standing = async (store: Store, stream: string, events: readonly NewEvent[], first: number): Promise<number> => {
  let count = 0;
  for await (const { id } of store.readStream(stream, { from: BigInt(first), max: events.length })) {
    if (id !== events[count]?.id) throw new Error(`${stream} holds another event at ${first + count}`);
    count += 1;
  }
  return count;
};

/**
 * Each chunk is appended right after the one before it, by expected revision; what an earlier attempt stored already is the same
 * events in the same place, and stays. Several may be under way: one that comes to the log before its turn is refused and told
 * again in its turn.
 */
export const rowAppender = (store: Store, jobId: string, insist: Insist): AppendRows => {
  const stream = bulkRowsStream(jobId);
  let before: Promise<void> = Promise.resolve();

  const appendRest = async (events: readonly NewEvent[], first: number): Promise<void> => {
    try {
      await store.append(stream, events, { expected: after(first) });
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion)) throw error;
      // Attempts of another build may have cut elsewhere: a part of the chunk stands, and that is refused as a whole.
      const count = await standing(store, stream, events, first);
      if (count === 0) throw error;
      if (count < events.length) await appendRest(events.slice(count), first + count);
    }
  };
  const inTurn = async ({ events, first }: RowChunk, turn: Promise<void>): Promise<void> => {
    try {
      if (events.length > 0) await store.append(stream, events, { expected: after(first) });
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion) && !(error instanceof EventStoreUnavailable)) throw error;
      await turn;
      await insist(() => appendRest(events, first));
    }
    await turn;
  };
  return (chunk) => {
    before = inTurn(chunk, before);
    // Whoever waits for it hears of a failure; until somebody does, it is no stray one.
    before.catch(() => undefined);
    return before;
  };
};
