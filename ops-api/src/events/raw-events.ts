import type { EventStore, LogEvent } from '@popsvc/platform/event-store';

/** An event as the event store returns it. */
export interface RawEvent extends Pick<LogEvent, 'stream' | 'type' | 'data' | 'metadata'> {
  readonly revision: string;
}

const maxConcurrentReads = 8;

const toRawEvent = ({ stream, revision, type, data, metadata }: LogEvent): RawEvent => ({
  stream,
  revision: revision.toString(),
  type,
  data,
  metadata,
});

/** Reads the events at these log positions, with limited concurrency. A position without an event has no entry in the map. */
export const readRawEvents = async (
  store: Pick<EventStore, 'readEventAt'>,
  positions: readonly string[],
): Promise<ReadonlyMap<string, RawEvent>> => {
  const found = new Map<string, RawEvent>();
  const left = [...new Set(positions)];
  const read = async () => {
    for (let position = left.pop(); position !== undefined; position = left.pop()) {
      const event = await store.readEventAt(BigInt(position));
      if (event) found.set(position, toRawEvent(event));
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentReads }, read));
  return found;
};
