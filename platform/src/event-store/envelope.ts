import { type EventData, jsonEvent, type RecordedEvent } from '@eventstore/db-client';
import type { EventMetadata } from '@popsvc/contracts/events';
import type { LogEvent, NewEvent } from './port.ts';

export const toStored = ({ id, type, data, metadata }: NewEvent): EventData =>
  jsonEvent({ id, type, data: data as Record<string, unknown>, metadata });

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
