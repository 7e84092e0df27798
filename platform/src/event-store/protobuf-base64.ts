import { createRequire } from 'node:module';

type Bytes = string | Uint8Array | null | undefined;

interface Protobuf {
  readonly Message: { bytesAsU8(bytes: Bytes): Uint8Array };
}

/** Resolves the client's own copy of google-protobuf, wherever npm installed it. */
const requireClientProtobuf = (): Protobuf => {
  const client = createRequire(import.meta.url).resolve('@eventstore/db-client');
  return createRequire(client)('google-protobuf') as Protobuf;
};

const bytesAsU8 = (bytes: Bytes): Uint8Array => {
  if (typeof bytes !== 'string') return bytes as Uint8Array;
  const decoded = Buffer.from(bytes, 'base64');
  // google-protobuf copies a Buffer, but not a plain Uint8Array.
  return new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.length);
};

/**
 * Replaces google-protobuf's `Message.bytesAsU8` with Node's base64 decoder. @eventstore/db-client 6.2.1 passes the data of a
 * JSON event to google-protobuf 3.21.4 as base64 (`batchAppend.js`), and serializes each event twice. google-protobuf decodes
 * base64 in JavaScript, character by character. Both decoders return the same bytes.
 *
 * Measured by appending batches of 200 events, each 520 bytes long: 27 µs of CPU time per event with Node's decoder, 52 µs with
 * google-protobuf's (median ratio 2.05 in 10 alternating runs in one process). When a single event is appended, the replacement
 * saves 2 %.
 *
 * The client has no public option that avoids base64 for JSON events, and events with the content type application/octet-stream
 * are not stored as JSON. No upstream issue is known. test/src/event-store/protobuf-base64.spec.ts fails without the replacement.
 * Remove the replacement when the service moves to @kurrent/kurrentdb-client.
 */
export const decodeBase64Natively = (): void => {
  requireClientProtobuf().Message.bytesAsU8 = bytesAsU8;
};
