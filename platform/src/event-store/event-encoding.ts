import { createRequire } from 'node:module';
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

type Bytes = string | Uint8Array | null | undefined;

interface Protobuf {
  readonly Message: { bytesAsU8(bytes: Bytes): Uint8Array };
}

/** The client's own copy, wherever npm put it. */
const protobufOfClient = (): Protobuf => {
  const client = createRequire(import.meta.url).resolve('@eventstore/db-client');
  return createRequire(client)('google-protobuf') as Protobuf;
};

/**
 * The client hands the data of events to its protobuf runtime as base64, which decodes it in JavaScript, letter by letter, twice an
 * event: more than a quarter of the CPU that command-api spent on an event. Node's decoder gives the same bytes. The client stays as it is.
 */
export const decodeBase64Natively = (): void => {
  const { Message } = protobufOfClient();
  Message.bytesAsU8 = bytesAsU8;
};

const bytesAsU8 = (bytes: Bytes): Uint8Array => {
  if (typeof bytes !== 'string') return bytes as Uint8Array;
  const decoded = Buffer.from(bytes, 'base64');
  // Of a Buffer the runtime makes a copy.
  return new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
};
