import { type EventData, jsonEvent, type RecordedEvent } from '@eventstore/db-client';
import type { EventMetadata } from '@popsvc/contracts/events';
import type { LogEvent, NewEvent } from './port.ts';

const encodedMetadata = new WeakMap<EventMetadata, Uint8Array>();
const encoder = new TextEncoder();

/** Encodes each object once, because the events of a request share one metadata object. */
const encodeMetadata = (metadata: EventMetadata): Uint8Array => {
  const cached = encodedMetadata.get(metadata);
  if (cached) return cached;
  const bytes = encoder.encode(JSON.stringify(metadata));
  encodedMetadata.set(metadata, bytes);
  return bytes;
};

export const toEventData = ({ id, type, data, metadata }: NewEvent): EventData =>
  jsonEvent({ id, type, data: data as Record<string, unknown>, metadata: encodeMetadata(metadata) });

export const toLogEvent = (event: RecordedEvent): LogEvent => ({
  id: event.id,
  type: event.type,
  data: event.data,
  metadata: event.metadata as EventMetadata,
  stream: event.streamId,
  revision: event.revision,
  position: event.position?.commit ?? 0n,
  recordedAtMs: event.created.getTime(),
});
