import {
  encodeEmptyAppend,
  finishFrame,
  endOfAppendFlag,
  type Frame,
  frameHeaderBytes,
  frameTrailerBytes,
  readIdOffset,
  jsonFlag,
  linkFlag,
  messageEnd,
  messageStart,
  tombstoneFlag,
  readTypeOffset,
} from '../log/frames.ts';
import { ProtobufReader, readLength, varintBytes, writeVarint } from '../protobuf/wire-format.ts';

/** An event to append. The buffers of a received event are views of its request's bytes. */
export interface ProposedEvent {
  /** Lower-case UUID of 36 characters. */
  readonly id: string;
  readonly type: Buffer;
  /** Whether the content type is application/json; everything else is stored as application/octet-stream. */
  readonly json: boolean;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

/** The last revision that the caller expects the stream to have before the append. */
export type ExpectedRevision = 'any' | 'no_stream' | 'stream_exists' | bigint;

/** Returns how many bytes an event counts towards the size limit of an append. */
export const countAppendBytes = (event: ProposedEvent): number =>
  event.data.length + event.metadata.length + 2 * event.type.toString('utf8').length;

// Every stored event contains a metadata map. These are protobuf-encoded parts of that map.
const typeKey = Buffer.from('\x0a\x04type', 'latin1');
const mapEntry = (key: string, value: string): Buffer => {
  const pair = Buffer.concat([
    Buffer.from([0x0a, key.length]),
    Buffer.from(key),
    Buffer.from([0x12, value.length]),
    Buffer.from(value),
  ]);
  return Buffer.concat([Buffer.from([0x32, pair.length]), pair]);
};
const jsonType = mapEntry('content-type', 'application/json');
const binaryType = mapEntry('content-type', 'application/octet-stream');

/** Encodes the creation time as the protocol requires: a decimal number of 100 ns ticks since 1970. */
const createdEntry = (createdMs: number): Buffer => mapEntry('created', `${createdMs}0000`);

/** An event with its stream and revision. It does not have a log position yet. */
export interface EventRecord {
  readonly streamNo: number;
  readonly streamName: Buffer;
  /** Ignored for a tombstone, whose revision is 2^63 - 1. */
  readonly revision: number;
  readonly event: ProposedEvent;
  readonly tombstone: boolean;
}

const uuidBytes = 36;
const idField = Buffer.from([0x0a, uuidBytes + 2, 0x12, uuidBytes]);
const tombstoneRevision = Buffer.from([0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
const linkType = Buffer.from('$>');

const fieldBytes = (length: number): number => 1 + varintBytes(length) + length;

/** Lengths of an event's nested messages, computed before the event is written. */
interface MessageSizes {
  readonly typePair: number;
  readonly recorded: number;
  readonly readEvent: number;
  readonly message: number;
}

const computeSizes = (record: EventRecord, created: Buffer, position: number): MessageSizes => {
  const { event } = record;
  const typePair = typeKey.length + fieldBytes(event.type.length);
  const revision = record.tombstone ? tombstoneRevision.length : 1 + varintBytes(record.revision);
  const recorded =
    idField.length +
    uuidBytes +
    fieldBytes(typePair) +
    (event.json ? jsonType : binaryType).length +
    created.length +
    fieldBytes(fieldBytes(record.streamName.length)) +
    revision +
    2 * (1 + varintBytes(position)) +
    (event.metadata.length > 0 ? fieldBytes(event.metadata.length) : 0) +
    fieldBytes(event.data.length);
  const readEvent = fieldBytes(recorded) + 1 + varintBytes(position);
  return { typePair, recorded, readEvent, message: fieldBytes(readEvent) };
};

/** `copy`, `writeField` and `writeNumber` write at offset `at` and return the offset after the written bytes. */
const copy = (source: Buffer, target: Buffer, at: number): number => at + source.copy(target, at);

const writeField = (target: Buffer, tag: number, value: Buffer, at: number): number => {
  target[at] = tag;
  return copy(value, target, writeVarint(target, value.length, at + 1));
};

const writeNumber = (target: Buffer, tag: number, value: number, at: number): number => {
  target[at] = tag;
  return writeVarint(target, value, at + 1);
};

/** A record together with all other values that are needed to write its frame. */
interface PlacedRecord {
  readonly record: EventRecord;
  readonly position: number;
  /** Whether the record is the last one of its append. */
  readonly isLast: boolean;
  readonly createdMs: number;
  readonly created: Buffer;
  readonly sizes: MessageSizes;
}

const writeRecord = (target: Buffer, frameAt: number, placed: PlacedRecord): void => {
  const { record, position, isLast, createdMs, created, sizes } = placed;
  const { event } = record;
  const start = frameAt + frameHeaderBytes;
  let at = writeNumber(target, 0x0a, sizes.readEvent, start);
  at = writeNumber(target, 0x0a, sizes.recorded, at);
  at = copy(idField, target, at);
  const idOffset = at - start;
  at += target.write(event.id, at, 'latin1');
  at = copy(typeKey, target, writeNumber(target, 0x32, sizes.typePair, at));
  const typeOffset = at + 1 - start;
  at = writeField(target, 0x12, event.type, at);
  at = copy(event.json ? jsonType : binaryType, target, at);
  at = copy(created, target, at);
  at = writeNumber(target, 0x12, fieldBytes(record.streamName.length), at);
  at = writeField(target, 0x1a, record.streamName, at);
  at = record.tombstone ? copy(tombstoneRevision, target, at) : writeNumber(target, 0x18, record.revision, at);
  at = writeNumber(target, 0x20, position, at);
  at = writeNumber(target, 0x28, position, at);
  if (event.metadata.length > 0) at = writeField(target, 0x3a, event.metadata, at);
  at = writeField(target, 0x42, event.data, at);
  writeNumber(target, 0x18, position, at);
  const flags =
    (isLast ? endOfAppendFlag : 0) |
    (record.tombstone ? tombstoneFlag : 0) |
    (event.type.equals(linkType) ? linkFlag : 0) |
    (event.json ? jsonFlag : 0);
  finishFrame(target, frameAt, sizes.message, position, {
    streamNo: record.streamNo,
    flags,
    idOffset,
    typeOffset,
    createdMs,
    revision: record.revision,
  });
};

interface EncodedAppend {
  readonly frames: Buffer;
  readonly positions: readonly number[];
}

/**
 * Encodes one append as frames; the first frame will be at log position `position`. Each frame contains a complete ReadResp message
 * in protobuf, so a read copies the message instead of encoding it again. An append without records becomes a frame without an
 * event.
 */
export const encodeAppend = (records: readonly EventRecord[], position: number, createdMs: number): EncodedAppend => {
  const created = createdEntry(createdMs);
  const positions: number[] = [];
  const sizes: MessageSizes[] = [];
  let end = position;
  for (const record of records) {
    const size = computeSizes(record, created, end);
    positions.push(end);
    sizes.push(size);
    end += frameHeaderBytes + size.message + frameTrailerBytes;
  }
  if (records.length === 0) return { frames: encodeEmptyAppend(position, createdMs), positions: [position] };
  const frames = Buffer.allocUnsafeSlow(end - position);
  records.forEach((record, index) => {
    const at = positions[index]!;
    const isLast = index === records.length - 1;
    writeRecord(frames, at - position, { record, position: at, isLast, createdMs, created, sizes: sizes[index]! });
  });
  return { frames, positions };
};

/** Reads the event id without decoding the event. */
export const readEventId = ({ bytes, at }: Frame): string => {
  const from = messageStart(at) + readIdOffset(bytes, at);
  return bytes.toString('latin1', from, from + 36);
};

/** Reads the event type without decoding the event. */
export const readEventType = ({ bytes, at }: Frame): string => {
  const { value, next } = readLength(bytes, messageStart(at) + readTypeOffset(bytes, at));
  return bytes.toString('utf8', next, next + value);
};

/** Returns the encoded RecordedEvent inside the stored message. */
export const readRecordedEvent = ({ bytes, at }: Frame): Buffer => {
  const message = new ProtobufReader(bytes, messageStart(at), messageEnd(bytes, at));
  message.tag();
  const readEvent = message.message();
  readEvent.tag();
  return readEvent.bytes();
};

/** Reads a bytes field of the RecordedEvent; empty if it is missing. */
const readRecordedField = (frame: Frame, field: number): Buffer => {
  const recorded = new ProtobufReader(readRecordedEvent(frame));
  for (let tag = recorded.tag(); tag !== 0; tag = recorded.tag()) {
    if (tag === field * 8 + 2) return recorded.bytes();
    recorded.skip(tag);
  }
  return Buffer.alloc(0);
};

export const readEventData = (frame: Frame): Buffer => readRecordedField(frame, 8);

export const readStreamName = (frame: Frame): string => {
  const identifier = new ProtobufReader(readRecordedField(frame, 2));
  identifier.tag();
  return identifier.text();
};
