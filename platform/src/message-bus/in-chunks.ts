import type { SubscriptionItem, LogEvent } from '../event-store/index.ts';
import { createSignal } from '../runtime/index.ts';

export interface ChunkLimits {
  readonly most: number;
  /** How long the first event of a chunk waits for others. */
  readonly ageMs: number;
  /** Ends what is followed; whoever leaves early gives it. */
  readonly signal: AbortSignal;
}

/** A chunk is full with so much, however few events that is: rows of bulk files may be a megabyte each. */
const mostBytes = 4_000_000;
const sizeOf = ({ data }: LogEvent): number => JSON.stringify(data).length;

/** Events as they come, many at a time: while one chunk is worked on the next one fills, and when that is full reading waits. */
export async function* inChunks(
  source: AsyncIterable<SubscriptionItem>,
  { most, ageMs, signal }: ChunkLimits,
): AsyncGenerator<readonly LogEvent[]> {
  let filling: LogEvent[] = [];
  let bytes = 0;
  let [ended, failure] = [false, undefined as unknown];
  const [changed, emptied] = [createSignal(signal), createSignal(signal)];
  const isFull = () => filling.length >= most || bytes >= mostBytes;
  const add = (event: LogEvent) => {
    filling.push(event);
    bytes += sizeOf(event);
  };
  const isOver = () => ended || signal.aborted;
  const read = async () => {
    try {
      for await (const followed of source) {
        if (followed.kind === 'event') add(followed.event);
        if (filling.length === 1 || isFull()) changed.notify();
        while (isFull() && !signal.aborted) await emptied.wait();
      }
    } catch (error) {
      failure = error;
    }
    ended = true;
    changed.notify();
  };
  void read();
  while (!signal.aborted) {
    while (filling.length === 0 && !isOver()) await changed.wait();
    if (!isFull() && !isOver()) await changed.wait(ageMs);
    const chunk = filling;
    [filling, bytes] = [[], 0];
    emptied.notify();
    if (chunk.length > 0) yield chunk;
    else if (failure !== undefined) throw failure as Error;
    else if (isOver()) return;
  }
}
