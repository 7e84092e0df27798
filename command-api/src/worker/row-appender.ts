import { bulkRowsStream, DynamicPlaysRecorded } from '@popsvc/contracts/events';
import type { Job } from '@popsvc/domain/bulk';
import {
  type EventStore,
  EventStoreUnavailable,
  type NewEvent,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import type { RetryStoreCall } from './job-log.ts';
import type { StoredAppend } from './projection-backpressure.ts';
import type { RowChunk } from './rows.ts';

/** Resolves once this chunk and all earlier chunks are durable. */
export type AppendRows = (chunk: RowChunk) => Promise<void>;

type RowStore = Pick<EventStore, 'append' | 'readStream'>;
type JobName = Pick<Job, 'network' | 'queued'>;

const streamOf = ({ network, queued: { jobId } }: JobName) => bulkRowsStream(network, jobId);

/** Last row numbers of the events that an earlier attempt stored without recording its progress. */
export const readStoredEnds = async (
  store: RowStore,
  job: JobName,
  fromRevision: number,
): Promise<readonly number[]> => {
  const ends: number[] = [];
  for await (const { data, metadata, revision } of store.readStream(streamOf(job), { from: BigInt(fromRevision) })) {
    const lastRow = DynamicPlaysRecorded.read(data, metadata.schemaVersion).bulk?.rows.at(-1);
    if (lastRow === undefined) throw new Error(`the event at revision ${revision} of ${streamOf(job)} has no rows`);
    ends.push(lastRow);
  }
  return ends;
};

const requireStored = async (store: RowStore, stream: string, { id }: NewEvent, revision: number, cause: unknown) => {
  for await (const stored of store.readStream(stream, { from: BigInt(revision), max: 1 })) {
    if (stored.id === id) return;
    throw new Error(`unexpected event at revision ${revision} of stream ${stream}`, { cause });
  }
  throw cause;
};

/**
 * Each chunk has a fixed event id and revision, so an event that an earlier attempt stored is not stored twice. An append that arrives
 * before its predecessor is rejected, and retried after the predecessor.
 */
export const createRowAppender = (
  store: RowStore,
  job: JobName,
  retry: RetryStoreCall,
  onStored: (append: StoredAppend) => void,
): AppendRows => {
  const stream = streamOf(job);
  let lastAppend: Promise<void> = Promise.resolve();

  const append = async (event: NewEvent, revision: number): Promise<void> => {
    const expected = revision === 0 ? 'no_stream' : BigInt(revision - 1);
    const { position } = await store.append(stream, [event], { expected });
    onStored({ network: job.network, rows: (event.data as DynamicPlaysRecorded).items.length, position });
  };
  const appendUnlessStored = async (event: NewEvent, revision: number): Promise<void> => {
    try {
      await append(event, revision);
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion)) throw error;
      await requireStored(store, stream, event, revision, error);
    }
  };
  const appendAfter = async ({ event, revision }: RowChunk, previous: Promise<void>): Promise<void> => {
    try {
      if (event) await append(event, revision);
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion) && !(error instanceof EventStoreUnavailable)) throw error;
      await previous;
      await retry(() => appendUnlessStored(event!, revision));
    }
    await previous;
  };
  return (chunk) => {
    lastAppend = appendAfter(chunk, lastAppend);
    // The caller awaits the promise later; an earlier failure would be an unhandled rejection.
    lastAppend.catch(() => undefined);
    return lastAppend;
  };
};
