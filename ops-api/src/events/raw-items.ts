import { findEventDefinition, isListEvent, placeOf } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';

/** If the event has a list, `data` is one element of the list, with the fields that apply to all elements. */
export interface RawItem extends Pick<LogEvent, 'stream' | 'type' | 'data' | 'metadata'> {
  readonly revision: string;
}

const maxConcurrentReads = 8;

const toRawItem = ({ stream, revision, type, data, metadata }: LogEvent, index: number): RawItem => {
  const definition = findEventDefinition(type);
  const isList = definition !== undefined && isListEvent(definition);
  return {
    stream,
    revision: revision.toString(),
    type,
    data: isList ? definition.splitItems(data)[index] : data,
    metadata,
  };
};

/** A sequence combines the log position of an event and the index of an item. If the event does not exist, the map has no entry. */
export const readRawItems = async (
  store: Pick<EventStore, 'readEventAt'>,
  sequences: readonly string[],
): Promise<ReadonlyMap<string, RawItem>> => {
  const found = new Map<string, RawItem>();
  const left = [...new Set(sequences)];
  const read = async () => {
    for (let sequence = left.pop(); sequence !== undefined; sequence = left.pop()) {
      const { position, index } = placeOf(BigInt(sequence));
      const event = await store.readEventAt(position);
      if (event) found.set(sequence, toRawItem(event, index));
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentReads }, read));
  return found;
};
