import { bulkRowsStream } from '@popsvc/contracts/events';
import {
  type EventStore,
  EventStoreUnavailable,
  type NewEvent,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import type { RetryStoreCall } from './job-log.ts';
import type { RowChunk } from './rows.ts';

/** Appends a chunk of rows. Resolves when this chunk and all chunks before it are durable. */
export type AppendRows = (chunk: RowChunk) => Promise<void>;

type RowStore = Pick<EventStore, 'append' | 'readStream'>;

const expectedRevisionBefore = (firstRevision: number) =>
  firstRevision === 0 ? 'no_stream' : BigInt(firstRevision - 1);

/**
 * Counts how many of these events, from the first one on, the stream already contains. Throws when the stream contains other
 * events there.
 */
const countStoredEvents = async (
  store: RowStore,
  stream: string,
  events: readonly NewEvent[],
  firstRevision: number,
): Promise<number> => {
  let count = 0;
  for await (const { id } of store.readStream(stream, { from: BigInt(firstRevision), max: events.length })) {
    if (id !== events[count]?.id) throw new Error(`${stream} holds another event at ${firstRevision + count}`);
    count += 1;
  }
  return count;
};

/**
 * Creates a function that appends the chunks of a job to the stream of its rows, each at the expected revision after the chunk
 * before it. Rows that an earlier attempt stored are the same events at the same revisions and are not stored twice. Several
 * appends may run at a time: one that reaches the event store before its predecessor is rejected, and repeated after it.
 */
export const createRowAppender = (store: RowStore, jobId: string, retry: RetryStoreCall): AppendRows => {
  const stream = bulkRowsStream(jobId);
  let lastAppend: Promise<void> = Promise.resolve();

  const appendMissing = async (events: readonly NewEvent[], firstRevision: number): Promise<void> => {
    try {
      await store.append(stream, events, { expected: expectedRevisionBefore(firstRevision) });
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion)) throw error;
      // An attempt of another build may have cut the chunks at other places. The stream then contains a part of this chunk, and
      // the event store rejects the whole chunk.
      const storedCount = await countStoredEvents(store, stream, events, firstRevision);
      if (storedCount === 0) throw error;
      if (storedCount < events.length) await appendMissing(events.slice(storedCount), firstRevision + storedCount);
    }
  };
  const appendAfter = async ({ events, firstRevision }: RowChunk, previous: Promise<void>): Promise<void> => {
    try {
      if (events.length > 0) await store.append(stream, events, { expected: expectedRevisionBefore(firstRevision) });
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion) && !(error instanceof EventStoreUnavailable)) throw error;
      await previous;
      await retry(() => appendMissing(events, firstRevision));
    }
    await previous;
  };
  return (chunk) => {
    lastAppend = appendAfter(chunk, lastAppend);
    // The caller awaits the promise later; this handler prevents an unhandled rejection until then.
    lastAppend.catch(() => undefined);
    return lastAppend;
  };
};
