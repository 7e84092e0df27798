import type { EventStore, ReadStreamOptions } from '@popsvc/platform/event-store';
import type { ClaimedRequest } from '@popsvc/platform/postgres';
import { type EventStoreCircuit, readWithIdleTimeout } from './event-store-circuit.ts';
import { WorkNotStarted } from './idempotency.ts';
import type { Chunk } from './request-events.ts';

interface Dependencies {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly circuit: EventStoreCircuit;
}

/** Drops the events that earlier attempts have stored. Throws WorkNotStarted if the event store cannot be searched. */
export const findMissingChunks = async (
  chunks: readonly Chunk[],
  stream: string,
  claimed: ClaimedRequest,
  { store, circuit }: Dependencies,
): Promise<readonly Chunk[]> => {
  const { receivedAtMs: fromMs, previousAttemptAtMs: toMs } = claimed;
  if (toMs === undefined) return chunks;
  const ids = chunks.flatMap(({ events }) => events.map(({ id }) => id));
  const search = async () => {
    circuit.requireAvailable();
    return circuit.runSerially(() => {
      circuit.requireAvailable();
      return readWithIdleTimeout(circuit, (observer) =>
        findStoredIds(store, stream, ids, { fromMs, toMs, ...observer }),
      );
    });
  };
  const storedIds = await search().catch((cause: unknown) => {
    throw new WorkNotStarted('cannot determine which events earlier attempts stored', { cause });
  });
  return chunks
    .map(({ events, bytes }) => ({ events: events.filter(({ id }) => !storedIds.has(id)), bytes }))
    .filter(({ events }) => events.length > 0);
};

/** Covers a late append, and clock differences between this service, PostgreSQL and the event store. */
const marginMs = 30_000;

export interface AttemptWindow {
  /** First attempt, in ms since 1970. */
  readonly fromMs: number;
  /** Latest time at which an attempt that may have stored events was known to run, in ms since 1970. */
  readonly toMs: number;
  readonly onEvent?: () => void;
  readonly signal?: AbortSignal;
}

export const findStoredIds = async (
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  ids: readonly string[],
  { fromMs, toMs, onEvent, signal }: AttemptWindow,
): Promise<ReadonlySet<string>> => {
  const wantedIds = new Set(ids);
  const foundIds = new Set<string>();
  const observed = {
    readStream: (name: string, options: ReadStreamOptions) =>
      observeEvents(store.readStream(name, options), onEvent, signal),
  };
  const from = await findFirstRevisionSince(observed, stream, fromMs - marginMs);
  for await (const { id, recordedAtMs } of observed.readStream(stream, { from })) {
    if (recordedAtMs > toMs + marginMs || foundIds.size === wantedIds.size) break;
    if (wantedIds.has(id)) foundIds.add(id);
  }
  return foundIds;
};

async function* observeEvents<T>(
  events: AsyncIterable<T>,
  onEvent?: () => void,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  for await (const event of events) {
    signal?.throwIfAborted();
    onEvent?.();
    yield event;
  }
}

type StreamReader = Pick<EventStore, 'readStream'>;

const readEventAt = async (store: StreamReader, stream: string, revision: bigint) => {
  for await (const event of store.readStream(stream, { from: revision, max: 1 })) return event;
  return undefined;
};

/** Intake streams are too long to read from the start. */
const findFirstRevisionSince = async (store: StreamReader, stream: string, sinceMs: number): Promise<bigint> => {
  let low = 0n;
  let high = 0n;
  for await (const { revision } of store.readStream(stream, { direction: 'backwards', max: 1 })) high = revision + 1n;
  while (low < high) {
    const middle = (low + high) / 2n;
    const event = await readEventAt(store, stream, middle);
    if (event && event.recordedAtMs < sinceMs) low = middle + 1n;
    else high = middle;
  }
  return low;
};
