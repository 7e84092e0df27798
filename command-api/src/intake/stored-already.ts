import type { EventStore, ReadStreamOptions } from '@popsvc/platform/event-store';

/** Clocks of this service, PostgreSQL and the event store may differ by this much, and an append may land this late. */
const marginMs = 30_000;

export interface Tries {
  /** When the request was first received. */
  readonly fromMs: number;
  /** When an earlier try was last known to be at work. */
  readonly toMs: number;
  /** Called with each event that is read. */
  readonly heard?: () => void;
  /** Nobody waits any more. */
  readonly signal?: AbortSignal;
}

/** Which of the ids earlier tries of a request left in the stream. Only the part of the stream written at that time is read. */
export const storedAlready = async (
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  ids: readonly string[],
  { fromMs, toMs, heard, signal }: Tries,
): Promise<ReadonlySet<string>> => {
  const wanted = new Set(ids);
  const found = new Set<string>();
  const watched = {
    readStream: (name: string, options: ReadStreamOptions) => listened(store.readStream(name, options), heard, signal),
  };
  const from = await firstSince(watched, stream, fromMs - marginMs);
  for await (const { id, recordedAtMs } of watched.readStream(stream, { from })) {
    if (recordedAtMs > toMs + marginMs || found.size === wanted.size) break;
    if (wanted.has(id)) found.add(id);
  }
  return found;
};

async function* listened<T>(events: AsyncIterable<T>, heard?: () => void, signal?: AbortSignal): AsyncGenerator<T> {
  for await (const event of events) {
    signal?.throwIfAborted();
    heard?.();
    yield event;
  }
}

type Reads = Pick<EventStore, 'readStream'>;

const at = async (store: Reads, stream: string, from: bigint) => {
  for await (const event of store.readStream(stream, { from, max: 1 })) return event;
  return undefined;
};

/** The first revision recorded at or after an instant, by halving: intake streams are long and only grow. */
const firstSince = async (store: Reads, stream: string, sinceMs: number): Promise<bigint> => {
  let low = 0n;
  let high = 0n;
  for await (const { revision } of store.readStream(stream, { direction: 'backwards', max: 1 })) high = revision + 1n;
  while (low < high) {
    const middle = (low + high) / 2n;
    const event = await at(store, stream, middle);
    if (event && event.recordedAtMs < sinceMs) low = middle + 1n;
    else high = middle;
  }
  return low;
};
