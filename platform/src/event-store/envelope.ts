import { type EventData, jsonEvent, type RecordedEvent } from '@eventstore/db-client';
import type { EventMetadata } from '@popsvc/contracts/events';
import type { LogEvent, NewEvent } from './port.ts';

const written = new WeakMap<EventMetadata, Uint8Array>();
const writer = new TextEncoder();

/** Metadata as the log has it. The events of a request share theirs: it is written once, and not for each of them anew. */
const bytesOf = (metadata: EventMetadata): Uint8Array => {
  const before = written.get(metadata);
  if (before) return before;
  const bytes = writer.encode(JSON.stringify(metadata));
  written.set(metadata, bytes);
  return bytes;
};

export const toStored = ({ id, type, data, metadata }: NewEvent): EventData =>
  jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: bytesOf(metadata) });

export const fromStored = (event: RecordedEvent): LogEvent => ({
  id: event.id,
  type: event.type,
  data: event.data,
  metadata: event.metadata as EventMetadata,
  stream: event.streamId,
  revision: event.revision,
  position: event.position?.commit ?? 0n,
  recordedAtMs: event.created.getTime(),
});
