import { bulkRowsStream } from '@popsvc/contracts/events';
import {
  type EventStore,
  EventStoreUnavailable,
  type NewEvent,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import type { RetryStoreCall } from './job-log.ts';
import type { RowChunk } from './rows.ts';

/** Appends a chunk of rows. Resolves once this chunk and all earlier chunks are durable. */
export type AppendRows = (chunk: RowChunk) => Promise<void>;

type RowStore = Pick<EventStore, 'append' | 'readStream'>;

const expectedRevisionBefore = (firstRevision: number) =>
  firstRevision === 0 ? 'no_stream' : BigInt(firstRevision - 1);

/**
 * Counts how many of `events` the stream already contains, starting at `firstRevision`. Throws if one of these revisions holds a
 * different event.
 */
const countStoredEvents = async (
  store: RowStore,
  stream: string,
  events: readonly NewEvent[],
  firstRevision: number,
): Promise<number> => {
  let count = 0;
  for await (const { id } of store.readStream(stream, { from: BigInt(firstRevision), max: events.length })) {
    if (id !== events[count]?.id)
      throw new Error(`unexpected event at revision ${firstRevision + count} of stream ${stream}`);
    count += 1;
  }
  return count;
};

/**
 * Creates a function that appends the chunks of a job to its row stream, each at the revision that follows the previous chunk.
 * Rows that an earlier attempt stored have the same event ids and revisions, so they are not stored twice. Several appends may
 * run concurrently. If an append reaches the event store before its predecessor, the event store rejects it, and the function
 * retries it after the predecessor.
 */
export const createRowAppender = (store: RowStore, jobId: string, retry: RetryStoreCall): AppendRows => {
  const stream = bulkRowsStream(jobId);
  let lastAppend: Promise<void> = Promise.resolve();

  const appendMissing = async (events: readonly NewEvent[], firstRevision: number): Promise<void> => {
    try {
      await store.append(stream, events, { expected: expectedRevisionBefore(firstRevision) });
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion)) throw error;
      // An earlier attempt may have split the rows differently, because it began at another row or ran another software version.
      // The stream then contains only a part of this chunk, and the event store rejects the whole chunk.
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
    // The caller awaits the promise later; without this handler, a failure before that would be an unhandled rejection.
    lastAppend.catch(() => undefined);
    return lastAppend;
  };
};
