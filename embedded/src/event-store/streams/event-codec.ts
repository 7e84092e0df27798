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

/** The buffers of a received event are views of its request's bytes. */
export interface ProposedEvent {
  /** Lower-case UUID of 36 characters. */
  readonly id: string;
  readonly type: Buffer;
  /** Whether the content type is application/json; everything else is stored as application/octet-stream. */
  readonly json: boolean;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

export type ExpectedRevision = 'any' | 'no_stream' | 'stream_exists' | bigint;

export const countAppendBytes = (event: ProposedEvent): number =>
  event.data.length + event.metadata.length + 2 * event.type.toString('utf8').length;

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

/** The protocol requires a decimal number of 100 ns ticks since 1970. */
const createdEntry = (createdMs: number): Buffer => mapEntry('created', `${createdMs}0000`);

export interface EventRecord {
  readonly streamNo: number;
  readonly streamName: Buffer;
  /** The message of a tombstone has the revision 2^63 - 1 instead. */
  readonly revision: number;
  readonly event: ProposedEvent;
  readonly tombstone: boolean;
}

const uuidBytes = 36;
const idField = Buffer.from([0x0a, uuidBytes + 2, 0x12, uuidBytes]);
const tombstoneRevision = Buffer.from([0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
const linkType = Buffer.from('$>');

const fieldBytes = (length: number): number => 1 + varintBytes(length) + length;

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

const copy = (source: Buffer, target: Buffer, at: number): number => at + source.copy(target, at);

const writeField = (target: Buffer, tag: number, value: Buffer, at: number): number => {
  target[at] = tag;
  return copy(value, target, writeVarint(target, value.length, at + 1));
};

const writeNumber = (target: Buffer, tag: number, value: number, at: number): number => {
  target[at] = tag;
  return writeVarint(target, value, at + 1);
};

interface PlacedRecord {
  readonly record: EventRecord;
  readonly position: number;
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
 * Each frame contains a complete ReadResp message, so a read copies the message instead of encoding it again. `position`: log position
 * of the first frame.
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

export const readEventId = ({ bytes, at }: Frame): string => {
  const from = messageStart(at) + readIdOffset(bytes, at);
  return bytes.toString('latin1', from, from + 36);
};

export const readEventType = ({ bytes, at }: Frame): string => {
  const { value, next } = readLength(bytes, messageStart(at) + readTypeOffset(bytes, at));
  return bytes.toString('utf8', next, next + value);
};

export const readRecordedEvent = ({ bytes, at }: Frame): Buffer => {
  const message = new ProtobufReader(bytes, messageStart(at), messageEnd(bytes, at));
  message.tag();
  const readEvent = message.message();
  readEvent.tag();
  return readEvent.bytes();
};

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
